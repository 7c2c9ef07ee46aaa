-- Wireshark dissector for datagram-iWARP, the profile in docs/datagram-wire.md, and reliable datagrams,
-- docs/reliable-datagram.md.
--
--   wireshark -X lua_script:stag-datagram.lua trace.pcap
--   tshark -X lua_script:stag-datagram.lua -o stagdg.port:7174 -r trace.pcap
--
-- or copy it to the folder of personal Lua plugins (Help, About Wireshark, Folders). Datagrams are recognised by version, kind,
-- headers and CRC; with the preference "port" all UDP datagrams of that port are taken for datagram-iWARP, damaged ones too.

local stagdg = Proto("stagdg", "Datagram-iWARP")

local PREFIX, TAGGED, UNTAGGED, CRC, BLOCK = 20, 14, 18, 4, 64
local RELIABLE, WORDS = 32, 36
local SEGMENT, REPORT, DATA, ACKNOWLEDGEMENT, REFUSAL = 1, 2, 3, 4, 5
local WRITE, READ_RESPONSE, SEND, SEND_SE = 0, 2, 3, 5

stagdg.prefs.port = Pref.uint("UDP port", 0, "Take all datagrams of this port for datagram-iWARP; 0: recognise them")

local kinds = { [1] = "segment", [2] = "report", [3] = "data", [4] = "acknowledgement", [5] = "refusal" }
local opcodes = { [0] = "RDMA Write-Record", [3] = "Send", [5] = "Send with Solicited Event" }
local reliable_opcodes = {
  [0] = "RDMA Write", [1] = "RDMA Read Request", [2] = "RDMA Read Response", [3] = "Send", [4] = "Send with Invalidate",
  [5] = "Send with Solicited Event", [6] = "Send with Solicited Event and Invalidate", [7] = "Terminate",
  [8] = "Immediate Data", [9] = "Immediate Data with Solicited Event", [10] = "Atomic Request", [11] = "Atomic Response",
}
-- queue of an untagged opcode; tagged ones have none
local queues = {
  [1] = 1, [3] = 0, [4] = 0, [5] = 0, [6] = 0, [7] = 2, [8] = 0, [9] = 0, [10] = 1, [11] = 3,
}

local f = {
  version = ProtoField.uint8("stagdg.version", "Version of the profile", base.DEC, nil, 0xF0),
  kind = ProtoField.uint8("stagdg.kind", "Kind", base.DEC, kinds, 0x0F),
  flags = ProtoField.uint8("stagdg.flags", "Flags", base.HEX),
  solicited = ProtoField.bool("stagdg.flags.solicited", "Solicited event", 8, nil, 0x01),
  report_wanted = ProtoField.bool("stagdg.flags.report_wanted", "Report wanted", 8, nil, 0x02),
  earlier_follow = ProtoField.bool("stagdg.flags.earlier_follow", "More of earlier messages follows", 8, nil, 0x04),
  flow = ProtoField.uint16("stagdg.flow", "Flow number", base.DEC),
  report_epoch = ProtoField.uint32("stagdg.report.epoch", "Epoch of the one that is told", base.HEX),
  report_received = ProtoField.uint32("stagdg.report.received", "Datagrams received", base.DEC),
  report_newest = ProtoField.uint32("stagdg.report.newest", "Newest flow number", base.DEC),
  epoch = ProtoField.uint32("stagdg.epoch", "Epoch", base.HEX),
  message_id = ProtoField.uint32("stagdg.message_id", "Message id", base.DEC),
  message_length = ProtoField.uint32("stagdg.message_length", "Message length", base.DEC),
  offset = ProtoField.uint32("stagdg.offset", "Offset in the message", base.DEC),
  tagged = ProtoField.bool("stagdg.tagged", "Tagged", 8, nil, 0x80),
  last = ProtoField.bool("stagdg.last", "Last", 8, nil, 0x40),
  ddp_version = ProtoField.uint8("stagdg.ddp_version", "DDP version", base.DEC, nil, 0x03),
  rdmap_version = ProtoField.uint8("stagdg.rdmap_version", "RDMAP version", base.DEC, nil, 0xC0),
  opcode = ProtoField.uint8("stagdg.opcode", "Opcode", base.DEC, opcodes, 0x0F),
  stag = ProtoField.uint32("stagdg.stag", "STag", base.HEX),
  to = ProtoField.uint64("stagdg.to", "Tagged Offset", base.HEX),
  queue = ProtoField.uint32("stagdg.queue", "Queue number", base.DEC),
  msn = ProtoField.uint32("stagdg.msn", "Message sequence number", base.DEC),
  mo = ProtoField.uint32("stagdg.mo", "Message offset", base.DEC),
  payload = ProtoField.bytes("stagdg.payload", "Payload"),
  payload_length = ProtoField.uint32("stagdg.payload_length", "Payload length", base.DEC),
  crc = ProtoField.uint32("stagdg.crc", "CRC32C", base.HEX),
  rd_opcode = ProtoField.uint8("stagdg.rd.opcode", "Opcode", base.DEC, reliable_opcodes, 0x0F),
  ack_wanted = ProtoField.bool("stagdg.rd.flags.ack_wanted", "Acknowledgement wanted", 8, nil, 0x02),
  not_ready = ProtoField.bool("stagdg.rd.flags.not_ready", "Not ready", 8, nil, 0x04),
  stream = ProtoField.uint32("stagdg.rd.stream", "Stream", base.DEC),
  peer_epoch = ProtoField.uint32("stagdg.rd.peer_epoch", "Epoch of the peer", base.HEX),
  psn = ProtoField.uint32("stagdg.rd.psn", "PSN", base.DEC),
  acked_stream = ProtoField.uint32("stagdg.rd.acked_stream", "Acknowledged stream", base.DEC),
  acked_psn = ProtoField.uint32("stagdg.rd.acked_psn", "Acknowledged PSN", base.DEC),
  echo = ProtoField.uint16("stagdg.rd.echo", "Echo of flow number", base.DEC),
  credit = ProtoField.uint16("stagdg.rd.credit", "Credit", base.DEC),
  delay = ProtoField.uint32("stagdg.rd.delay", "Delay in microseconds", base.DEC),
  words = ProtoField.uint16("stagdg.rd.words", "Words", base.DEC),
  word = ProtoField.uint64("stagdg.rd.word", "Word", base.HEX),
  missing = ProtoField.string("stagdg.rd.missing", "Missing"),
  sent_in = ProtoField.framenum("stagdg.rd.sent_in", "First sent in", base.NONE, frametype.RETRANS_PREV),
  crc_status = ProtoField.string("stagdg.crc_status", "CRC status"),
}
stagdg.fields = f

local function rule(name, text, group, severity)
  return ProtoExpert.new("stagdg.expert." .. name, text, group, severity)
end

local malformed, warn = expert.group.MALFORMED, expert.severity.WARN
local e = {
  short = rule("short", "DG-005: shorter than its headers", malformed, expert.severity.ERROR),
  version = rule("version", "DG-006: another version of the profile", malformed, warn),
  crc = rule("crc", "DG-004: wrong CRC", expert.group.CHECKSUM, expert.severity.ERROR),
  kind = rule("kind", "DG-007: unknown kind", malformed, warn),
  header = rule("header", "DG-008: not a header of this profile, or it contradicts the prefix", malformed, warn),
  layout = rule("layout", "DG-009: offset, payload and message length do not fit together", malformed, warn),
  reserved = rule("reserved", "DG-031: reserved bits are set", expert.group.PROTOCOL, expert.severity.NOTE),
  malformed = rule("malformed", "RD-020: malformed reliable datagram", malformed, warn),
  again = rule("again", "RD-021: sent again", expert.group.SEQUENCE, expert.severity.NOTE),
  refused = rule("refused", "RD-013: refused, its receiver is not the one that was meant", expert.group.SEQUENCE, warn),
  cut = rule("cut", "Cut off: the CRC cannot be checked", expert.group.PROTOCOL, expert.severity.NOTE),
}
stagdg.experts = { e.short, e.version, e.crc, e.kind, e.header, e.layout, e.reserved, e.malformed,
  e.again, e.refused, e.cut }

local crc_table = {}
for i = 0, 255 do
  local c = i
  for _ = 1, 8 do
    c = bit.band(c, 1) ~= 0 and bit.bxor(bit.rshift(c, 1), 0x82F63B78) or bit.rshift(c, 1)
  end
  crc_table[i] = c
end

local function crc32c(tvb, from, length)
  local octets = tvb:raw(from, length)
  local c = 0xFFFFFFFF
  for i = 1, #octets do
    c = bit.bxor(bit.rshift(c, 8), crc_table[bit.band(bit.bxor(c, octets:byte(i)), 0xFF)])
  end
  c = bit.bnot(c)
  return c < 0 and c + 4294967296 or c
end

-- Reads what stands behind the prefix of a reliable datagram.
local function read_reliable(tvb, at, length, d)
  if length < RELIABLE + CRC or d.kind == ACKNOWLEDGEMENT and length < WORDS + CRC then
    d.wrong = "short"
    return
  end
  d.reliable = true
  d.stream, d.psn = tvb(at + 8, 4):uint(), tvb(at + 16, 4):uint()
  if d.kind == ACKNOWLEDGEMENT then
    d.words = tvb(at + 34, 2):uint()
    if d.words > 128 or length ~= WORDS + 8 * d.words + CRC then
      d.wrong, d.words = "malformed", 0
    end
  elseif d.kind == REFUSAL then
    d.wrong = length ~= RELIABLE + CRC and "malformed" or nil
  else
    local there = length - RELIABLE - CRC
    if there < TAGGED or bit.band(tvb(at + RELIABLE, 1):uint(), 0x80) == 0 and there < UNTAGGED then
      d.wrong = "short"
      return
    end
    local ddp, rdmap = tvb(at + RELIABLE, 1):uint(), tvb(at + RELIABLE + 1, 1):uint()
    d.tagged, d.last, d.opcode = bit.band(ddp, 0x80) ~= 0, bit.band(ddp, 0x40) ~= 0, bit.band(rdmap, 0x0F)
    d.header = d.tagged and TAGGED or UNTAGGED
    d.payload = there - d.header
    local right
    if d.tagged then
      right = d.opcode == WRITE or d.opcode == READ_RESPONSE
    else
      right = queues[d.opcode] == tvb(at + RELIABLE + 6, 4):uint()
    end
    if not right or bit.band(ddp, 0x03) ~= 1 or bit.rshift(rdmap, 6) ~= 1 or d.stream == 0 then
      d.wrong = "malformed"
    end
  end
  if tvb(at + 4, 4):uint() == 0 then
    d.wrong = "malformed"
  end
end

-- Everything that can be judged without drawing: used by the recogniser and by the dissector.
local function read(tvb, at, length)
  local d = { at = at, length = length }
  if length < PREFIX + CRC then
    d.wrong = "short"
    return d
  end
  local first = tvb(at, 1):uint()
  d.version, d.kind = bit.rshift(first, 4), bit.band(first, 0x0F)
  if d.version ~= 1 then
    d.wrong = "version"
    return d
  end
  if d.kind == REPORT then
    d.wrong = length ~= PREFIX + CRC and "layout" or nil
    return d
  end
  if d.kind >= DATA and d.kind <= REFUSAL then
    read_reliable(tvb, at, length, d)
    return d
  end
  if d.kind ~= SEGMENT then
    d.wrong = "kind"
    return d
  end
  if length < PREFIX + TAGGED + CRC then
    d.wrong = "short"
    return d
  end
  d.message_length, d.offset = tvb(at + 12, 4):uint(), tvb(at + 16, 4):uint()
  local ddp, rdmap = tvb(at + PREFIX, 1):uint(), tvb(at + PREFIX + 1, 1):uint()
  d.tagged, d.last, d.opcode = bit.band(ddp, 0x80) ~= 0, bit.band(ddp, 0x40) ~= 0, bit.band(rdmap, 0x0F)
  d.header = d.tagged and TAGGED or UNTAGGED
  d.payload = length - PREFIX - d.header - CRC
  if d.payload < 0 then
    d.wrong = "short"
    return d
  end
  local ends = d.offset + d.payload == d.message_length
  local right
  if d.tagged then
    right = d.opcode == WRITE
  else
    right = (d.opcode == SEND or d.opcode == SEND_SE)
      and tvb(at + PREFIX + 6, 4):uint() == 0
      and tvb(at + PREFIX + 10, 4):uint() == tvb(at + 8, 4):uint()
      and tvb(at + PREFIX + 14, 4):uint() == d.offset
  end
  if not right or bit.band(ddp, 0x03) ~= 1 or bit.rshift(rdmap, 6) ~= 1 or d.last ~= ends then
    d.wrong = "header"
  elseif d.offset % BLOCK ~= 0 or d.offset + d.payload > d.message_length
    or (d.payload % BLOCK ~= 0 and not ends) or (d.payload == 0 and d.message_length ~= 0) then
    d.wrong = "layout"
  end
  return d
end

local function crc_right(tvb, at, length)
  return length > CRC and crc32c(tvb, at, length - CRC) == tvb(at + length - CRC, CRC):le_uint()
end

-- Where the system cuts and joins datagrams, a capture shows a whole train as one packet. One ends where its CRC is right and
-- a prefix of the same sender follows; all but the last have the same length.
local function cut(tvb, length)
  local shortest = RELIABLE + CRC -- a refusal; none that leaves in trains is shorter
  if length < 2 * shortest or crc_right(tvb, 0, length) then
    return length
  end
  local octets = tvb:raw(0, length)
  local kind, epoch = octets:sub(1, 1), octets:sub(5, 8)
  for at = shortest, length - shortest do
    if octets:sub(at + 1, at + 1) == kind and octets:sub(at + 5, at + 8) == epoch and crc_right(tvb, 0, at) then
      return at
    end
  end
  return length
end

local function draw_headers(tvb, d, at, opcode, tree)
  tree:add(f.tagged, tvb(at, 1))
  tree:add(f.last, tvb(at, 1))
  tree:add(f.ddp_version, tvb(at, 1))
  tree:add(f.rdmap_version, tvb(at + 1, 1))
  tree:add(opcode, tvb(at + 1, 1))
  if d.tagged then
    tree:add(f.stag, tvb(at + 2, 4))
    tree:add(f.to, tvb(at + 6, 8))
  else
    tree:add(f.queue, tvb(at + 6, 4))
    tree:add(f.msn, tvb(at + 10, 4))
    tree:add(f.mo, tvb(at + 14, 4))
  end
  tree:add(f.payload_length, d.payload):set_generated()
  local there = math.min(d.payload, tvb:len() - at - d.header)
  if there > 0 then
    tree:add(f.payload, tvb(at + d.header, there))
  end
end

local function draw_segment(tvb, d, tree)
  draw_headers(tvb, d, d.at + PREFIX, f.opcode, tree)
  local name = opcodes[d.opcode] or ("opcode " .. d.opcode)
  return string.format("%s, message %u, %u octets at %u of %u", name, tvb(d.at + 8, 4):uint(), d.payload, d.offset,
    d.message_length)
end

-- What lies between datagrams that are here: the bits behind the acknowledged PSN, as text.
local function missing(tvb, d, acked)
  local ranges, from = {}, 0
  for i = 0, 64 * d.words - 1 do
    local word, at = math.floor(i / 64), i % 64
    local octet = tvb(d.at + WORDS + 8 * word + 7 - math.floor(at / 8), 1):uint()
    if bit.band(bit.rshift(octet, at % 8), 1) ~= 0 then
      if i > from then
        local first, last = (acked + 1 + from) % 4294967296, (acked + i) % 4294967296
        ranges[#ranges + 1] = first == last and string.format("%.0f", first) or string.format("%.0f-%.0f", first, last)
      end
      from = i + 1
    end
  end
  local text = table.concat(ranges, ",", 1, math.min(#ranges, 8))
  return #ranges > 8 and string.format("%s and %d ranges more", text, #ranges - 8) or text
end

-- Frames in which a PSN was sent first, to see what is sent again.
local first_sent = {}

local function draw_again(tvb, d, pinfo, node)
  local key = table.concat({ tostring(pinfo.src), pinfo.src_port, tostring(pinfo.dst), pinfo.dst_port,
    tvb(d.at + 4, 4):uint(), d.stream, d.psn }, " ")
  local mine = pinfo.number .. " " .. d.at
  first_sent[key] = first_sent[key] or { frame = pinfo.number, place = mine }
  if first_sent[key].place ~= mine then
    node:add(f.sent_in, first_sent[key].frame):set_generated()
    node:add_proto_expert_info(e.again)
    return ", sent again"
  end
  return ""
end

-- Draws a reliable datagram behind its epoch.
local function draw_reliable(tvb, d, pinfo, node)
  local at = d.at
  node:add(f.stream, tvb(at + 8, 4))
  node:add(f.peer_epoch, tvb(at + 12, 4))
  node:add(f.psn, tvb(at + 16, 4))
  node:add(f.acked_stream, tvb(at + 20, 4))
  node:add(f.acked_psn, tvb(at + 24, 4))
  node:add(f.echo, tvb(at + 28, 2))
  node:add(f.credit, tvb(at + 30, 2))
  if d.kind == REFUSAL then
    node:add_proto_expert_info(e.refused)
    return string.format("Refusal of stream %.0f PSN %.0f", d.stream, d.psn)
  end
  local acked = string.format("stream %.0f up to %.0f", tvb(at + 20, 4):uint(), tvb(at + 24, 4):uint())
  if d.kind == ACKNOWLEDGEMENT then
    if tvb:len() < at + WORDS + 8 * d.words then
      return "Ack of " .. acked
    end
    node:add(f.delay, tvb(at + 32, 2), tvb(at + 32, 2):uint() * 4)
    node:add(f.words, tvb(at + 34, 2))
    for i = 0, d.words - 1 do
      node:add(f.word, tvb(at + WORDS + 8 * i, 8))
    end
    local gaps = missing(tvb, d, tvb(at + 24, 4):uint())
    if gaps ~= "" then
      node:add(f.missing, gaps):set_generated()
      gaps = ", missing " .. gaps
    end
    local waits = bit.band(tvb(at + 1, 1):uint(), 0x04) ~= 0 and ", not ready" or ""
    return "Ack of " .. acked .. gaps .. waits
  end
  if not d.payload then
    return "short data"
  end
  draw_headers(tvb, d, at + RELIABLE, f.rd_opcode, node)
  local text = string.format("%s, stream %.0f PSN %.0f, %u octets", reliable_opcodes[d.opcode] or ("opcode " .. d.opcode),
    d.stream, d.psn, d.payload)
  return text .. (d.wrong and "" or draw_again(tvb, d, pinfo, node))
end

local function draw_flags(tvb, d, node)
  local at = d.at
  local value = tvb(at + 1, 1):uint()
  local flags = node:add(f.flags, tvb(at + 1, 1))
  local known = 0x07
  if d.kind == DATA then
    known = 0x02
    flags:add(f.ack_wanted, tvb(at + 1, 1))
  elseif d.kind == ACKNOWLEDGEMENT then
    known = 0x04
    flags:add(f.not_ready, tvb(at + 1, 1))
  else
    flags:add(f.solicited, tvb(at + 1, 1))
    flags:add(f.report_wanted, tvb(at + 1, 1))
    flags:add(f.earlier_follow, tvb(at + 1, 1))
  end
  local has_no_flow = d.kind == SEGMENT and bit.band(value, 0x02) == 0 and tvb(at + 2, 2):uint() ~= 0
  if bit.band(value, 0xFF - known) ~= 0 and d.kind ~= REFUSAL or has_no_flow then
    flags:add_proto_expert_info(e.reserved)
  end
end

-- Draws one datagram; length is what it has on the wire, of which the capture may have less.
local function draw(tvb, at, length, pinfo, tree)
  local there = math.min(length, tvb:len() - at)
  local node = tree:add(stagdg, tvb(at, there))
  if there < PREFIX + CRC or there < PREFIX + UNTAGGED and there < length then
    node:add_proto_expert_info(e.short)
    return "short datagram"
  end
  local d = read(tvb, at, length)
  node:add(f.version, tvb(at, 1))
  node:add(f.kind, tvb(at, 1))
  draw_flags(tvb, d, node)
  node:add(f.flow, tvb(at + 2, 2))
  node:add(f.epoch, tvb(at + 4, 4))
  local text = "kind " .. (d.kind or 0)
  if d.kind == REPORT then
    node:add(f.report_epoch, tvb(at + 8, 4))
    node:add(f.report_received, tvb(at + 12, 4))
    node:add(f.report_newest, tvb(at + 16, 4))
    text = string.format("Report, received %u, newest %u", tvb(at + 12, 4):uint(), tvb(at + 16, 4):uint())
  elseif d.reliable then
    text = draw_reliable(tvb, d, pinfo, node)
  else
    node:add(f.message_id, tvb(at + 8, 4))
    node:add(f.message_length, tvb(at + 12, 4))
    node:add(f.offset, tvb(at + 16, 4))
    if d.payload and d.payload >= 0 then
      text = draw_segment(tvb, d, node)
    end
  end
  if d.wrong then
    node:add_proto_expert_info(e[d.wrong])
  end
  if there < length then
    node:add_proto_expert_info(e.cut)
  else
    local right = crc_right(tvb, at, length)
    node:add_le(f.crc, tvb(at + length - CRC, CRC))
    node:add(f.crc_status, right and "good" or "bad"):set_generated()
    if not right then
      node:add_proto_expert_info(e.crc)
    end
  end
  node:append_text(", " .. text)
  return text
end

function stagdg.dissector(tvb, pinfo, tree)
  local length = tvb:reported_len()
  local step = tvb:len() == length and cut(tvb, length) or length
  pinfo.cols.protocol = "DG-iWARP"
  local text, count, at = nil, 0, 0
  while at < tvb:len() do
    local drawn = draw(tvb, at, math.min(step, length - at), pinfo, tree)
    text = text or drawn
    count = count + 1
    at = at + step
  end
  pinfo.cols.info = (text or "empty datagram") .. (count > 1 and string.format(" (and %d more)", count - 1) or "")
  return tvb:len()
end

local function recognise(tvb, pinfo, tree)
  local length = tvb:len()
  local first = length > 0 and tvb(0, 1):uint() or 0
  if length < PREFIX + CRC or length < tvb:reported_len() or first < 0x11 or first > 0x15 then
    return false
  end
  local step = cut(tvb, length)
  if read(tvb, 0, step).wrong or not crc_right(tvb, 0, step) then
    return false
  end
  stagdg.dissector(tvb, pinfo, tree)
  return true
end

stagdg:register_heuristic("udp", recognise)

local ports = DissectorTable.get("udp.port")
local current = 0
function stagdg.prefs_changed()
  if current ~= stagdg.prefs.port then
    if current ~= 0 then
      ports:remove(current, stagdg)
    end
    current = stagdg.prefs.port
    if current ~= 0 then
      ports:add(current, stagdg)
    end
  end
end
