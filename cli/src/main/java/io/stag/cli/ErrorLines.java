package io.stag.cli;

import io.stag.verbs.VerbsException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.BindException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Turns exceptions into lines for people: what, where, what to do. Stack traces only with {@code --debug}. */
final class ErrorLines {
    private ErrorLines() {}

    /** For picocli: an exception that a command threw. */
    static int onExecution(Exception exception, CommandLine commandLine, ParseResult parsed) {
        PrintWriter err = commandLine.getErr();
        String command = commandLine.getCommandSpec().qualifiedName();
        err.println(command + ": " + describe(exception));
        String remedy = remedy(exception);
        if (!remedy.isEmpty()) {
            err.println("  " + remedy);
        }
        if (Stag.isDebug(commandLine)) {
            exception.printStackTrace(err);
        } else if (!isExpected(exception)) {
            err.println("  This is a bug in stag; --debug shows where.");
        }
        err.flush();
        return ExitCode.FAILED;
    }

    /** For picocli: wrong usage. */
    static int onWrongUsage(ParameterException exception, String[] args) {
        CommandLine commandLine = exception.getCommandLine();
        PrintWriter err = commandLine.getErr();
        String command = commandLine.getCommandSpec().qualifiedName();
        err.println(command + ": " + exception.getMessage());
        if (!CommandLine.UnmatchedArgumentException.printSuggestions(exception, err)) {
            err.println("  Try: " + command + " --help");
        }
        err.flush();
        return ExitCode.USAGE;
    }

    private static boolean isExpected(Exception exception) {
        return exception instanceof CommandFailure
                || exception instanceof VerbsException
                || exception instanceof IOException
                || exception instanceof UnresolvedAddressException;
    }

    private static String describe(Exception exception) {
        String message = Objects.requireNonNullElse(
                exception.getMessage(), exception.getClass().getSimpleName());
        return switch (exception) {
            case CommandFailure _ -> message;
            case VerbsException verbs -> verbs.error() + ": " + message;
            case NoSuchFileException _ -> message + ": no such file";
            case AccessDeniedException _ -> message + ": access denied";
            case UnknownHostException _ -> message + ": unknown host";
            case UnresolvedAddressException _ -> "unknown host";
            case IOException _ -> message;
            default -> exception.getClass().getSimpleName() + ": " + message;
        };
    }

    private static String remedy(Exception exception) {
        return switch (exception) {
            case CommandFailure failure -> failure.remedy();
            case VerbsException verbs -> remedy(verbs);
            case ConnectException _ -> "Is the server running, and are host and port right?";
            case BindException _ -> "Choose another port, or an address of this machine.";
            default -> "";
        };
    }

    private static String remedy(VerbsException exception) {
        return switch (exception.error()) {
            case NO_PROVIDER -> "The build is incomplete: stag-rnic is missing from the class path.";
            case CONNECTION_FAILED -> "Is the server running, and are host, port, --mpa-revision and --markers right?";
            case CONNECTION_REJECTED -> "The peer is there, but does not want this connection.";
            case TIMED_OUT -> "The peer does not answer. Does it speak MPA (RFC 5044) on this port?";
            case INVALID_ARGUMENT,
                    LIMIT_EXCEEDED,
                    INVALID_STATE,
                    IN_USE,
                    CLOSED,
                    INVALID_MEMORY,
                    NOT_PERMITTED,
                    UNSUPPORTED,
                    INTERRUPTED -> "";
        };
    }
}
