package io.stag.cli;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the name of a file to be written, and refuses one that cannot be: before the work, whose results would be lost. */
public final class OutputFile implements ITypeConverter<Path> {
    /** For picocli. */
    public OutputFile() {}

    @Override
    public Path convert(String value) {
        try {
            return checked(Path.of(value));
        } catch (InvalidPathException e) {
            throw new TypeConversionException("'" + value + "' is no name of a file: " + e.getReason());
        }
    }

    private static Path checked(Path file) {
        Path folder = file.toAbsolutePath().getParent();
        if (Files.isDirectory(file)) {
            throw new TypeConversionException(file + " is a folder");
        } else if (folder == null || !Files.isDirectory(folder)) {
            throw new TypeConversionException("there is no folder " + folder);
        } else if (!Files.isWritable(Files.exists(file) ? file : folder)) {
            throw new TypeConversionException(file + " may not be written");
        }
        return file;
    }
}
