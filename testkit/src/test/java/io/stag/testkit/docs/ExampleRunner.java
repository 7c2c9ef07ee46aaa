package io.stag.testkit.docs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.lang.Thread.UncaughtExceptionHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles examples with all warnings, and runs them in this JVM. */
final class ExampleRunner {
    private final Path folder;

    /** Sources and classes go to {@code folder}. */
    ExampleRunner(Path folder) {
        this.folder = folder;
    }

    /** Compiles and runs; fails when the example does not compile, throws in any thread or prints something else. */
    void check(Example example) throws Exception {
        compile(example);
        List<String> printed = run(example.name());
        if (!example.prints(printed)) {
            throw new AssertionError(example + " should print\n" + String.join("\n", example.output())
                    + "\n\nbut printed\n" + String.join("\n", printed));
        }
    }

    private void compile(Example example) throws IOException {
        Path file = Files.writeString(folder.resolve(example.name() + ".java"), example.source());
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        // try: a connection in a try block is often only there to be closed
        List<String> options = List.of("-d", folder.toString(), "-proc:none", "-Xlint:all,-try", "-Werror");
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, Locale.ROOT, null)) {
            boolean compiled = compiler.getTask(messages, files, null, options, null, files.getJavaFileObjects(file))
                    .call();
            if (!compiled) {
                throw new AssertionError(example + " does not compile:\n" + messages);
            }
        }
    }

    /** Standard output and the handler of uncaught exceptions belong to the JVM, so one example runs at a time. */
    private List<String> run(String name) throws Exception {
        Queue<Throwable> uncaught = new ConcurrentLinkedQueue<>();
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream standardOutput = System.out;
        UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
            Thread.setDefaultUncaughtExceptionHandler((_, thrown) -> uncaught.add(thrown));
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            main(loader.loadClass(name));
        } catch (InvocationTargetException e) {
            throw new AssertionError(name + " failed: " + e.getCause(), e.getCause());
        } finally {
            System.setOut(standardOutput);
            Thread.setDefaultUncaughtExceptionHandler(handler);
        }
        if (!uncaught.isEmpty()) {
            throw new AssertionError(name + " failed in another thread: " + uncaught.peek(), uncaught.peek());
        }
        return printed.toString(StandardCharsets.UTF_8).lines().toList();
    }

    /** As the launcher does with a file without a class. */
    private static void main(Class<?> type) throws ReflectiveOperationException {
        var constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        Method main = type.getDeclaredMethod("main");
        main.setAccessible(true);
        main.invoke(constructor.newInstance());
    }
}
