import { describe, expect, it } from '@jest/globals';
import { generate, parse } from 'coap-packet';
import { formatCode, parseResponseCode } from '../src/wire/codes.js';
import { nameOfFormat, parseFormat } from '../src/wire/content-formats.js';
import { decode, TYPE } from '../src/wire/decode.js';
import { encodeEmpty, encodeMessage, encodeTail, encodeUint } from '../src/wire/encode.js';
import { blockValue, readBlock } from '../src/wire/block.js';

/** Reads octets given in hexadecimal. */
function read(hex: string): ReturnType<typeof decode> {
  return decode(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
}

describe('decoding', () => {
  it('reads the example of RFC 7252, appendix A', () => {
    const packet = read('40 01 7d34 bb 74656d7065726174757265');
    if (typeof packet === 'string') throw new Error(packet);
    expect([packet.type, formatCode(packet.code), packet.messageId]).toEqual([TYPE.CON, '0.01', 0x7d34]);
    expect(packet.options).toEqual([{ number: 11, start: 5, end: 16 }]);
    expect(packet.data.toString('utf8', 5, 16)).toBe('temperature');
    expect(packet.payload).toBeUndefined();
  });

  it('reads what coap-packet writes, for every size of delta and length', () => {
    for (const number of [1, 12, 13, 14, 268, 269, 270, 65_535]) {
      for (const length of [0, 12, 13, 14, 268, 269, 1000]) {
        const value = Buffer.alloc(length, 'v');
        const octets = generate(
          {
            code: '0.02',
            options: [{ name: number as unknown as 'ETag', value }],
            payload: Buffer.from('p'),
          },
          2000,
        );
        const packet = decode(octets);
        if (typeof packet === 'string') throw new Error(packet);
        const [option] = packet.options;
        expect([option?.number, (option?.end ?? 0) - (option?.start ?? 0)]).toEqual([number, length]);
        expect(packet.payload?.toString()).toBe('p');
      }
    }
  });

  it.each([
    ['no octets', '', 'ignore'],
    ['three octets', '40 01 00', 'ignore'],
    ['version 0', '00 01 0001', 'ignore'],
    ['version 2', '80 01 0001', 'ignore'],
    ['version 3', 'c0 01 0001', 'ignore'],
    ['a token length of 9', '49 01 0001 010203040506070809', 'reject'],
    ['a token length of 15', '4f 01 0001 0102030405060708090a0b0c0d0e0f', 'reject'],
    ['a token that is cut', '44 01 0001 0102', 'reject'],
    ['an empty message with a token', '41 00 0001 01', 'reject'],
    ['an empty message with a payload', '40 00 0001 ff 01', 'reject'],
    ['a delta of 15', '40 01 0001 f0', 'reject'],
    ['a length of 15', '40 01 0001 0f', 'reject'],
    ['a delta whose octet is cut', '40 01 0001 d0', 'reject'],
    ['a delta whose two octets are cut', '40 01 0001 e0 00', 'reject'],
    ['a length whose octet is cut', '40 01 0001 0d', 'reject'],
    ['a value that is cut', '40 01 0001 b4 616263', 'reject'],
    ['a number beyond 65,535', '40 01 0001 e0 ffff', 'reject'],
    ['a marker without a payload', '40 01 0001 ff', 'reject'],
  ])('refuses %s', (_name, hex, verdict) => {
    expect(read(hex)).toBe(verdict);
  });
});

describe('encoding', () => {
  it('writes what coap-packet reads', () => {
    const tail = encodeTail(
      [
        { number: 4, value: Buffer.from('tag') },
        { number: 12, value: 0 },
        { number: 14, value: 90_000 },
        { number: 2048, value: Buffer.alloc(300, 'x') },
      ],
      Buffer.from('payload'),
    );
    const packet = parse(encodeMessage(TYPE.ACK, 0x45, 0xabcd, Buffer.from('token'), tail));
    expect(packet).toMatchObject({ ack: true, code: '2.05', messageId: 0xabcd });
    expect(packet.token.toString()).toBe('token');
    expect(packet.payload.toString()).toBe('payload');
    expect(packet.options.map(({ value }) => (Buffer.isBuffer(value) ? value.length : -1))).toEqual([
      3, 0, 3, 300,
    ]);
    expect(encodeEmpty(TYPE.RST, 0x1234)).toEqual(Buffer.of(0x70, 0, 0x12, 0x34));
  });

  it('writes numbers without leading zeros', () => {
    expect([0, 255, 256, 4_294_967_295].map((value) => encodeUint(value).toString('hex'))).toEqual([
      '',
      'ff',
      '0100',
      'ffffffff',
    ]);
  });
});

describe('values', () => {
  it('are response codes as texts and as the numbers that YAML makes of them', () => {
    const format = (source: string | number): string => formatCode(parseResponseCode(source));
    expect(['2.05', 2.05, 4.1, 5, '3.00', '5.31'].map(format)).toEqual([
      '2.05',
      '2.05',
      '4.10',
      '5.00',
      '3.00',
      '5.31',
    ]);
    for (const bad of ['9.99', '2.5', '0.01', '1.00', '6.00', '2.32', 'x', '', 2.055, -1, 2.32, Number.NaN]) {
      expect(() => parseResponseCode(bad)).toThrow('is not a response code');
    }
  });

  it('are content formats by number, by name, and by the short name', () => {
    expect(
      [60, '60', 'application/json', 'JSON', 'text/plain;charset=utf-8', 'text', 'cbor'].map(parseFormat),
    ).toEqual([60, 60, 50, 50, 0, 0, 60]);
    expect([nameOfFormat(40), nameOfFormat(12_345)]).toEqual(['application/link-format', '12345']);
    for (const bad of ['', 'application/none', '65536']) {
      expect(() => parseFormat(bad)).toThrow('is not a content format');
    }
  });

  it('are blocks, of which the size exponent 7 is reserved', () => {
    const block = { number: 70_000, hasMore: true, exponent: 6 };
    expect(readBlock(blockValue(block))).toEqual(block);
    expect(readBlock(7)).toBeUndefined();
  });
});
