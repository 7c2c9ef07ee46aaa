package io.stag.cli.perf;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** This JVM once more: the same Java, flags and classes, another program. */
public final class JvmCommand {
    private JvmCommand() {}

    /**
     * The command; arguments of the program may be added.
     *
     * @param mainClass the program; on the module path it must be one of this module
     */
    public static List<String> running(String mainClass) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> !argument.startsWith("-agentlib:jdwp")) // its port is taken
                .forEach(command::add);
        String mainModule = System.getProperty("jdk.module.main");
        String classPath = System.getProperty("java.class.path", "");
        if (mainModule != null && mainModule.equals(JvmCommand.class.getModule().getName())) {
            command.addAll(
                    List.of("-p", System.getProperty("jdk.module.path", ""), "-m", mainModule + "/" + mainClass));
        } else {
            command.addAll(List.of("-cp", absolute(classPath), mainClass));
        }
        return command;
    }

    private static String absolute(String classPath) {
        List<String> entries = new ArrayList<>();
        for (String entry : classPath.split(Pattern.quote(File.pathSeparator), -1)) {
            entries.add(Path.of(entry).toAbsolutePath().toString());
        }
        return String.join(File.pathSeparator, entries);
    }
}
