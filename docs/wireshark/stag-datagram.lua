-- Wireshark dissector for datagram-iWARP, the profile in docs/datagram-wire.md.
--
--   wireshark -X lua_script:stag-datagram.lua trace.pcap
--   tshark -X lua_script:stag-datagram.lua -o stagdg.port:7174 -r trace.pcap
--
-- or copy it to the folder of personal Lua plugins (Help, About Wireshark, Folders). Datagrams are recognised by version, kind,
-- headers and CRC; with the preference "port" all UDP datagrams of that port are taken for datagram-iWARP, damaged ones too.

local stagdg = Proto("stagdg", "Datagram-iWARP")

local PREFIX, TAGGED, UNTAGGED, CRC, BLOCK = 20, 14, 18, 4, 64
local SEGMENT, REPORT = 1, 2
local WRITE, SEND, SEND_SE = 0, 3, 5

stagdg.prefs.port = Pref.uint("UDP port", 0, "Take all datagrams of this port for datagram-iWARP; 0: recognise them")

local kinds = { [1] = "segment", [2] = "report" }
local opcodes = { [0] = "RDMA Write-Record", [3] = "Send", [5] = "Send with Solicited Event" }

local f = {
  version = ProtoField.uint8("stagdg.version", "Version of the profile", base.DEC, nil, 0xF0),
  kind = ProtoField.uint8("stagdg.kind", "Kind", base.DEC, kinds, 0x0F),
  flags = ProtoField.uint8("stagdg.flags", "Flags", base.HEX),
  solicited = ProtoField.bool("stagdg.flags.solicited", "Solicited event", 8, nil, 0x01),
  report_wanted = ProtoField.bool("stagdg.flags.report_wanted", "Report wanted", 8, nil, 0x02),
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
  cut = rule("cut", "Cut off: the CRC cannot be checked", expert.group.PROTOCOL, expert.severity.NOTE),
}
stagdg.experts = { e.short, e.version, e.crc, e.kind, e.header, e.layout, e.reserved, e.cut }

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
  local shortest = PREFIX + TAGGED + CRC
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

local function draw_segment(tvb, d, tree)
  local at = d.at + PREFIX
  tree:add(f.tagged, tvb(at, 1))
  tree:add(f.last, tvb(at, 1))
  tree:add(f.ddp_version, tvb(at, 1))
  tree:add(f.rdmap_version, tvb(at + 1, 1))
  tree:add(f.opcode, tvb(at + 1, 1))
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
  local name = opcodes[d.opcode] or ("opcode " .. d.opcode)
  return string.format("%s, message %u, %u octets at %u of %u", name, tvb(d.at + 8, 4):uint(), d.payload, d.offset,
    d.message_length)
end

-- Draws one datagram; length is what it has on the wire, of which the capture may have less.
local function draw(tvb, at, length, tree)
  local there = math.min(length, tvb:len() - at)
  local node = tree:add(stagdg, tvb(at, there))
  if there < PREFIX + CRC or there < PREFIX + UNTAGGED and there < length then
    node:add_proto_expert_info(e.short)
    return "short datagram"
  end
  local d = read(tvb, at, length)
  node:add(f.version, tvb(at, 1))
  node:add(f.kind, tvb(at, 1))
  local flags = node:add(f.flags, tvb(at + 1, 1))
  flags:add(f.solicited, tvb(at + 1, 1))
  flags:add(f.report_wanted, tvb(at + 1, 1))
  if bit.band(tvb(at + 1, 1):uint(), 0xFC) ~= 0
    or bit.band(tvb(at + 1, 1):uint(), 0x02) == 0 and tvb(at + 2, 2):uint() ~= 0 then
    flags:add_proto_expert_info(e.reserved)
  end
  node:add(f.flow, tvb(at + 2, 2))
  node:add(f.epoch, tvb(at + 4, 4))
  local text = "kind " .. (d.kind or 0)
  if d.kind == REPORT then
    node:add(f.report_epoch, tvb(at + 8, 4))
    node:add(f.report_received, tvb(at + 12, 4))
    node:add(f.report_newest, tvb(at + 16, 4))
    text = string.format("Report, received %u, newest %u", tvb(at + 12, 4):uint(), tvb(at + 16, 4):uint())
  else
    node:add(f.message_id, tvb(at + 8, 4))
    node:add(f.message_length, tvb(at + 12, 4))
    node:add(f.offset, tvb(at + 16, 4))
  end
  if d.payload and d.payload >= 0 then
    text = draw_segment(tvb, d, node)
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
    local drawn = draw(tvb, at, math.min(step, length - at), tree)
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
  if length < PREFIX + CRC or length < tvb:reported_len() or first ~= 0x11 and first ~= 0x12 then
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
