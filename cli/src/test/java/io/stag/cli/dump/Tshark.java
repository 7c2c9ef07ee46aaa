package io.stag.cli.dump;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Wireshark's dissector, run on a capture file. */
final class Tshark {
    private static final List<String> FIELDS = List.of(
            "tcp.len",
            "tcp.payload",
            "data.data",
            "iwarp_mpa.marker_flag",
            "iwarp_mpa.crc_flag",
            "iwarp_mpa.rej_flag",
            "iwarp_mpa.res",
            "iwarp_mpa.rev",
            "iwarp_mpa.pdlength",
            "iwarp_mpa.privatedata",
            "iwarp_mpa.fpdu",
            "iwarp_mpa.ulpdulength",
            "iwarp_mpa.pad",
            "iwarp_mpa.crc",
            "iwarp_mpa.crc_check",
            "iwarp_mpa.marker_fpduptr",
            "iwarp_ddp.tagged_flag",
            "iwarp_ddp.last_flag",
            "iwarp_ddp.rsvd",
            "iwarp_ddp.dv",
            "iwarp_ddp.rsvdulp",
            "iwarp_ddp.stag",
            "iwarp_ddp.tagged_offset",
            "iwarp_ddp.qn",
            "iwarp_ddp.msn",
            "iwarp_ddp.mo",
            "iwarp_rdma.version",
            "iwarp_rdma.rsv",
            "iwarp_rdma.opcode",
            "iwarp_rdma.inval_stag",
            "iwarp_rdma.sinkstag",
            "iwarp_rdma.sinkto",
            "iwarp_rdma.rdmardsz",
            "iwarp_rdma.srcstag",
            "iwarp_rdma.srcto",
            "iwarp_rdma.atomic.opcode",
            "iwarp_rdma.atomic.request_identifier",
            "iwarp_rdma.atomic.remote_stag",
            "iwarp_rdma.atomic.remote_tagged_offset",
            "iwarp_rdma.atomic.add_data",
            "iwarp_rdma.atomic.add_mask",
            "iwarp_rdma.atomic.swap_data",
            "iwarp_rdma.atomic.swap_mask",
            "iwarp_rdma.atomic.compare_data",
            "iwarp_rdma.atomic.compare_mask",
            "iwarp_rdma.atomic.original_request_identifier",
            "iwarp_rdma.atomic.original_remote_data_value",
            "iwarp_rdma.term_layer",
            "iwarp_rdma.term_etype_rdma",
            "iwarp_rdma.term_etype_ddp",
            "iwarp_rdma.term_etype_llp",
            "iwarp_rdma.term_errcode_rdma",
            "iwarp_rdma.term_errcode_ddp_tagged",
            "iwarp_rdma.term_errcode_ddp_untagged",
            "iwarp_rdma.term_errcode",
            "iwarp_rdma.term_errcode_llp",
            "iwarp_rdma.term_hdrct_m",
            "iwarp_rdma.hdrct_d",
            "iwarp_rdma.hdrct_r",
            "iwarp_rdma.term_ddp_seg_len",
            "iwarp_rdma.term_ddp_h",
            "iwarp_rdma.term_rdma_h",
            "_ws.expert.message");

    /** What the dissector made of one packet that carries a startup frame or an FPDU. */
    record Row(List<String> values) {
        String get(String field) {
            return values.get(FIELDS.indexOf(field));
        }
    }

    private Tshark() {}

    static boolean isField(String name) {
        return FIELDS.contains(name);
    }

    static String version() {
        return run("tshark", "--version").lines().findFirst().orElse("");
    }

    /** Verdicts on CRCs, in words: they are in no field of their own. */
    static List<String> crcChecks(Path file) {
        return run("tshark", "-r", file.toString(), "-V", "-Y", "tcp.len > 0")
                .lines()
                .filter(line -> line.contains("CRC check:"))
                .map(line -> line.substring(line.indexOf('(')))
                .toList();
    }

    /** One row per packet with payload. Dissectors that guess at the payload of Sends are switched off. */
    static List<Row> dissect(Path file) {
        List<String> command = new ArrayList<>(List.of(
                "tshark",
                "-r",
                file.toString(),
                "-Y",
                "tcp.len > 0",
                "--disable-protocol",
                "rpcordma",
                "--disable-protocol",
                "smb_direct",
                "-o",
                "tcp.check_checksum:FALSE",
                "-T",
                "fields",
                "-E",
                "separator=|"));
        for (String field : FIELDS) {
            command.addAll(List.of("-e", field));
        }
        return run(command.toArray(String[]::new))
                .lines()
                .map(line -> new Row(List.of(line.split("\\|", -1))))
                .toList();
    }

    /** Datagrams as {@code stag dump} would print them, read by a dissector in Lua; port 0 lets it recognise them. */
    static List<String> datagrams(Path file, Path dissector, int port) {
        return datagramFields(
                        file,
                        dissector,
                        port,
                        "stagdg.opcode",
                        "stagdg.message_id",
                        "stagdg.message_length",
                        "stagdg.last",
                        "stagdg.stag",
                        "stagdg.to",
                        "stagdg.msn",
                        "stagdg.mo",
                        "stagdg.payload_length",
                        "stagdg.crc_status")
                .map(Tshark::asDumped)
                .toList();
    }

    private static String asDumped(String[] row) {
        boolean tagged = !row[4].isEmpty();
        String name = tagged ? "DG Write-Record" : row[0].equals("5") ? "DG Send SE" : "DG Send";
        String place = tagged ? " STag " + row[4] + " TO " + row[5] : " MSN " + row[6] + " MO " + row[7];
        return name + " message " + row[1] + " of " + row[2] + " octets L=" + (isSet(row[3]) ? 1 : 0) + place + " len "
                + row[8] + " CRC " + (row[9].equals("good") ? "ok" : "wrong");
    }

    /** Reliable datagrams as {@code stag dump} would print them, as far as the fields of the dissector go. */
    static List<String> reliableDatagrams(Path file, Path dissector) {
        return datagramFields(
                        file,
                        dissector,
                        0,
                        "stagdg.kind",
                        "stagdg.rd.stream",
                        "stagdg.rd.psn",
                        "stagdg.rd.peer_epoch",
                        "stagdg.rd.acked_stream",
                        "stagdg.rd.acked_psn",
                        "stagdg.rd.credit",
                        "stagdg.rd.flags.ack_wanted",
                        "stagdg.rd.flags.not_ready",
                        "stagdg.rd.missing",
                        "stagdg.rd.delay",
                        "stagdg.last",
                        "stagdg.stag",
                        "stagdg.to",
                        "stagdg.queue",
                        "stagdg.msn",
                        "stagdg.mo",
                        "stagdg.payload_length",
                        "stagdg.crc_status",
                        "stagdg.rd.sent_in")
                .map(Tshark::reliableAsDumped)
                .toList();
    }

    private static String reliableAsDumped(String[] row) {
        String acked = "acks stream " + row[4] + " up to " + row[5] + " credit " + row[6];
        String crc = " CRC " + (row[18].equals("good") ? "ok" : "wrong");
        String missing = row[9].isEmpty() ? "" : " missing " + row[9];
        return switch (row[0]) {
            case "3" ->
                "stream " + row[1] + " PSN " + row[2] + (row[3].equals("0x00000000") ? " unbound" : "")
                        + (isSet(row[7]) ? " ack wanted" : "") + (row[4].equals("0") ? "" : " " + acked)
                        + (isSet(row[11]) ? " L=1" : " L=0")
                        + (row[12].isEmpty()
                                ? " QN " + row[14] + " MSN " + row[15] + " MO " + row[16]
                                : " STag " + row[12] + " TO " + row[13])
                        + " len " + row[17] + crc + (row[19].isEmpty() ? "" : " sent again");
            case "4" -> acked + missing + " delay " + row[10] + " us" + (isSet(row[8]) ? " not ready" : "") + crc;
            default -> "of stream " + row[1] + " PSN " + row[2] + " to epoch " + row[3] + crc;
        };
    }

    private static boolean isSet(String flag) {
        return flag.matches("1|True");
    }

    /** Numbers of the rules that each datagram breaks, with commas between them. */
    static List<String> datagramRules(Path file, Path dissector, int port) {
        return datagramFields(file, dissector, port, "_ws.expert.message")
                .map(row -> Arrays.stream(row[0].split(","))
                        .filter(message -> message.matches("[DR][GD]-\\d.*"))
                        .map(message -> message.substring(0, message.indexOf(':')))
                        .collect(Collectors.joining(",")))
                .toList();
    }

    private static Stream<String[]> datagramFields(Path file, Path dissector, int port, String... fields) {
        List<String> command = new ArrayList<>(List.of(
                "tshark",
                "-X",
                "lua_script:" + dissector,
                "-o",
                "stagdg.port:" + port,
                "-r",
                file.toString(),
                "-T",
                "fields",
                "-E",
                "separator=|"));
        for (String field : fields) {
            command.addAll(List.of("-e", field));
        }
        return run(command.toArray(String[]::new)).lines().map(line -> line.split("\\|", -1));
    }

    private static String run(String... command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int exit = process.waitFor();
            if (exit != 0) {
                throw new IllegalStateException(
                        Arrays.stream(command).collect(Collectors.joining(" ")) + " ended with " + exit);
            }
            return out;
        } catch (IOException e) {
            throw new IllegalStateException(
                    "tshark is asked for (-Dstag.tshark=true) but cannot be run; install it", e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
