package io.stag.cli;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonIOException;
import com.google.gson.JsonNull;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializationContext;
import com.google.gson.JsonSerializer;
import java.io.IOException;
import java.io.Writer;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes what was found as JSON. */
public final class JsonFile {
    private static final Gson GSON = new GsonBuilder()
            .serializeNulls()
            .disableHtmlEscaping()
            .registerTypeAdapter(double.class, (JsonSerializer<Double>) JsonFile::number)
            .registerTypeAdapter(Double.class, (JsonSerializer<Double>) JsonFile::number)
            .setPrettyPrinting()
            .create();

    private JsonFile() {}

    /** JSON knows no NaN, which stands for nothing here. */
    private static JsonElement number(Double value, Type type, JsonSerializationContext context) {
        return Double.isFinite(value) ? new JsonPrimitive(value) : JsonNull.INSTANCE;
    }

    /**
     * Writes a file; throws {@link CommandFailure} when that is not possible.
     *
     * @param file where
     * @param found what, usually a record or a list of them
     */
    public static void write(Path file, Object found) {
        try (Writer out = Files.newBufferedWriter(file)) {
            GSON.toJson(found, out);
            out.write(System.lineSeparator());
        } catch (IOException | JsonIOException e) { // Gson wraps what the writer throws
            Throwable cause = e instanceof JsonIOException && e.getCause() != null ? e.getCause() : e;
            throw new CommandFailure(file + " cannot be written: " + cause.getMessage(), "", e);
        }
    }
}
