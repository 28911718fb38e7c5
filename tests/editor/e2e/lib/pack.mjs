// The probe as a VSIX: a zip file with the folder `extension`, stored without compression, so that no library is needed.
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";

function record(signature, name, data, offset) {
  const central = signature === 0x02014b50;
  const head = Buffer.alloc(central ? 46 : 30);
  head.writeUInt32LE(signature, 0);
  let at = 4;
  if (central) {
    head.writeUInt16LE(20, at);
    at += 2;
  }
  head.writeUInt16LE(20, at); // version that is needed; flags, method, time stay 0
  head.writeUInt16LE(0x21, at + 8); // 1980-01-01
  head.writeUInt32LE(zlib.crc32(data), at + 10);
  head.writeUInt32LE(data.length, at + 14);
  head.writeUInt32LE(data.length, at + 18);
  head.writeUInt16LE(Buffer.byteLength(name), at + 22);
  if (central) {
    head.writeUInt32LE(offset, 42);
  }
  return Buffer.concat([head, Buffer.from(name)]);
}

export function pack(folder, target) {
  const parts = [];
  const directory = [];
  let offset = 0;
  const files = fs.readdirSync(folder).sort();
  for (const file of files) {
    const data = fs.readFileSync(path.join(folder, file));
    directory.push(record(0x02014b50, `extension/${file}`, data, offset));
    const local = record(0x04034b50, `extension/${file}`, data, 0);
    parts.push(local, data);
    offset += local.length + data.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  fs.writeFileSync(target, Buffer.concat([...parts, central, end]));
}
