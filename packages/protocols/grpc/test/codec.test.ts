import { describe, expect, it } from '@jest/globals';
import { decodeMessage } from '../src/codec/decode.js';
import { encodeMessage } from '../src/codec/encode.js';
import { googleSchema } from '../src/schema/builtin.js';
import { readDescriptorSet } from '../src/schema/descriptor-set.js';
import { linkFiles, type Described } from '../src/schema/link.js';
import type { MessageType } from '../src/schema/model.js';
import { runAtOnce } from '../src/schema/run-at-once.js';
import type { Schema } from '../src/schema/schema.js';
import { readProto } from '../src/schema/text/read-proto.js';

const PROTO = `
syntax = "proto3";
package acme;
import "google/protobuf/timestamp.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/wrappers.proto";
import "google/protobuf/any.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/field_mask.proto";
enum Color { RED = 0; GREEN = 1; BLUE = -2; }
message Address { string city = 1; repeated int32 codes = 2; }
message All {
  int32 i32 = 1; sint32 s32 = 2; uint32 u32 = 3; fixed32 f32 = 4; sfixed32 sf32 = 5;
  int64 i64 = 6; sint64 s64 = 7; uint64 u64 = 8; fixed64 f64 = 9; sfixed64 sf64 = 10;
  double d = 11; float f = 12; bool b = 13; string s = 14; bytes raw = 15;
  Color color = 16; Address address = 17; repeated Color colors = 18; repeated string tags = 19;
  map<string, Address> places = 20; map<int64, string> names = 21; map<bool, Color> flags = 22;
  oneof choice { string text = 23; int32 number = 24; Address where = 25; }
  optional int32 maybe = 26;
  google.protobuf.Timestamp at = 27; google.protobuf.Duration took = 28; google.protobuf.Struct data = 29;
  google.protobuf.Value any_json = 30; google.protobuf.Int64Value wrapped = 31; google.protobuf.Any any = 32;
  google.protobuf.FieldMask mask = 33; google.protobuf.ListValue list = 34; google.protobuf.NullValue nothing = 35;
  repeated All children = 36; repeated int64 packed = 37; string snake_case_name = 38;
  message __proto__ { int32 a = 1; }
}
message Empty {}
`;

function link(...files: readonly Described[]): Schema {
  const linked = googleSchema();
  runAtOnce(linkFiles(files, linked));
  return linked;
}

const read = (name: string, text: string): Described => ({ proto: runAtOnce(readProto(name, text)) });
const schema = link(read('acme.proto', PROTO));
const ALL = schema.typeOf('acme.All');

function roundTrip(type: MessageType, value: object): unknown {
  return decodeMessage(type, encodeMessage(type, value));
}

function problemOf(value: unknown, type = ALL): string {
  try {
    encodeMessage(type, value);
    return 'fits';
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

describe('the codec', () => {
  it('keeps every kind of value', () => {
    const value = {
      i32: -5,
      s32: -6,
      u32: 4294967295,
      f32: 7,
      sf32: -8,
      i64: '-9223372036854775808',
      s64: '-1234567890123456789',
      u64: '18446744073709551615',
      f64: '9007199254740993',
      sf64: '-2',
      d: 0.1,
      f: 1.5,
      b: true,
      s: 'häß 😀',
      raw: 'AP8=',
      color: 'BLUE',
      address: { city: 'Bonn', codes: [1, 300, -1] },
      colors: ['GREEN', 'RED', 7],
      tags: ['a', ''],
      places: { x: { city: 'y', codes: [] }, __proto: { city: '', codes: [] } },
      names: { '-1': 'minus', '9223372036854775807': 'most' },
      flags: { true: 'GREEN', false: 'RED' },
      where: { city: 'z', codes: [] },
      maybe: 0,
      at: '2026-01-31T12:00:00.123Z',
      took: '-1.500s',
      data: { a: [1, null, { b: 'c' }], d: true },
      any_json: null,
      wrapped: '12',
      any: { '@type': 'type.googleapis.com/acme.Address', city: 'q', codes: [] },
      mask: 'a.fooBar,b',
      list: [1, 'x', false],
      nothing: 'NULL_VALUE',
      children: [],
      packed: ['1', '-1'],
      snake_case_name: 'n',
    };
    expect(roundTrip(ALL, value)).toEqual(value);
  });

  it('fills in defaults and takes both names of a field', () => {
    const empty = decodeMessage(ALL, Buffer.alloc(0)) as Record<string, unknown>;
    expect(empty).toMatchObject({ i32: 0, i64: '0', s: '', b: false, color: 'RED', tags: [], places: {} });
    for (const name of ['address', 'text', 'maybe', 'at']) expect(empty).not.toHaveProperty(name);
    expect(roundTrip(ALL, { snakeCaseName: 'x', i32: '7', d: 'NaN' })).toMatchObject({
      snake_case_name: 'x',
      i32: 7,
      d: 'NaN',
    });
  });

  it.each<[string, unknown]>([
    ['address.codes[1]: must be an int32, got "x"', { address: { codes: [1, 'x'] } }],
    ['i32: must be an int32, -2147483648 to 2147483647, got 2147483648', { i32: 2147483648 }],
    ['u64: must be a uint64, 0 to 18446744073709551615, got "-1"', { u64: '-1' }],
    ['i64: must be an int64, got 1.5', { i64: 1.5 }],
    ['b: must be true or false, got "true"', { b: 'true' }],
    ['s: must be a string, got 5', { s: 5 }],
    ['raw: must be base64, got "*"', { raw: '*' }],
    ['color: must be a value of acme.Color (RED, GREEN, BLUE), got "PINK"', { color: 'PINK' }],
    ['places.x: must be an object (acme.Address), got 1', { places: { x: 1 } }],
    ['names.y: must be an int64, got "y"', { names: { y: 'z' } }],
    ['number: cannot stand beside text: both belong to the oneof "choice"', { text: 'a', number: 1 }],
    ['address.town: is no field of acme.Address; known are city, codes', { address: { town: 'x' } }],
    ['at: must be a time such as "2026-01-31T12:00:00Z", got "now"', { at: 'now' }],
    ['took: must be seconds such as "1.5s", got "1m"', { took: '1m' }],
    [
      'any.@type: names "acme.Nobody", which no schema defines; add its .proto file',
      { any: { '@type': 'acme.Nobody' } },
    ],
    ['tags: must be a list, got "a"', { tags: 'a' }],
    ['f: must be a float, at most 3.4028234663852886e+38 either way, got 1e+39', { f: 1e39 }],
    ['must be an object (acme.All), got [1]', [1]],
    ['snakeCaseName: is given twice, by both of its names', { snake_case_name: 'a', snakeCaseName: 'b' }],
  ])('says: %s', (problem, value) => {
    expect(problemOf(value)).toBe(problem);
  });

  it('refuses bytes that are no message', () => {
    const good = encodeMessage(ALL, { address: { city: 'Bonn' }, children: [{ s: 'x' }] });
    for (let length = 1; length < good.length; length += 1) {
      const cut = good.subarray(0, length);
      try {
        decodeMessage(ALL, cut);
      } catch (thrown) {
        expect((thrown as Error).name).toBe('Error');
      }
    }
    expect(() => decodeMessage(ALL, Buffer.from('0f', 'hex'))).toThrow();
    expect(() => decodeMessage(ALL, Buffer.from('72ffffffff0f', 'hex'))).toThrow('ends too early');
    expect(() => decodeMessage(ALL, Buffer.from('7202ff00', 'hex'))).toThrow('s: is no valid UTF-8');
    let deep: Buffer = Buffer.alloc(0);
    for (let level = 0; level < 120; level += 1) {
      const length = Buffer.from([(deep.length & 0x7f) | 0x80, deep.length >> 7]);
      deep = Buffer.concat([Buffer.from('a202', 'hex'), length, deep]);
    }
    expect(() => decodeMessage(ALL, deep)).toThrow('nested deeper than 100 levels');
  });

  it('knows what only proto2 has', () => {
    const old = link(
      read(
        'old.proto',
        `package old;
         message Old {
           required string name = 1;
           optional int32 size = 2 [default = 7];
           repeated int32 loose = 3;
           repeated int32 tight = 4 [packed = true];
           repeated group Part = 5 { optional string text = 1; }
           optional bool on = 6 [default = true];
           extensions 100 to 199;
         }
         extend Old { optional int64 more = 100; }`,
      ),
    );
    const type = old.typeOf('old.Old');
    const value = { name: 'n', loose: [1, 2], tight: [3, 4], part: [{ text: 'a' }, {}], '[old.more]': '5' };
    const bytes = encodeMessage(type, value);
    expect(bytes.toString('hex')).toBe('0a016e180118022202' + '0304' + '2b0a01612c' + '2b2c' + 'a00605');
    expect(decodeMessage(type, bytes)).toEqual({ ...value, size: 7, on: true });
    expect(problemOf({}, type)).toBe('name: is required');
    // A reader takes packed and unpacked alike.
    expect(decodeMessage(type, Buffer.from('0a016e' + '1a020102' + '20032004', 'hex'))).toMatchObject({
      loose: [1, 2],
      tight: [3, 4],
    });
    expect(() => decodeMessage(type, Buffer.from('0a016e2b0a0161', 'hex'))).toThrow('group 5 does not end');
  });

  it('describes a file and reads its own description', () => {
    const [bytes = new Uint8Array()] = schema.describe('acme.proto');
    const set = Buffer.concat([Buffer.from([0x0a, (bytes.length & 0x7f) | 0x80, bytes.length >> 7]), bytes]);
    const [described] = readDescriptorSet(set);
    const again = link(...(described === undefined ? [] : [described]));
    const value = { i64: '5', places: { a: { city: 'b', codes: [] } }, maybe: 0, colors: ['GREEN'] };
    expect(encodeMessage(again.typeOf('acme.All'), value)).toEqual(encodeMessage(ALL, value));
    expect(() => readDescriptorSet(Buffer.from('syntax = "proto3";'))).toThrow('is no descriptor set');
  });
});
