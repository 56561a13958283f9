import { describe, expect, it } from '@jest/globals';
import { isBacklotError } from '../src/errors.js';
import { formatDuration, parseDuration, parseLongDuration } from '../src/time/duration.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe('parseDuration', () => {
  it.each<[string, number]>([
    ['', 0],
    ['0', 0],
    ['0s', 0],
    ['300ms', 300],
    ['1.5s', 1500],
    ['.5s', 500],
    ['5.s', 5000],
    ['1m30s', 90 * SECOND],
    ['1h0m0.5s', HOUR + 500],
    ['100us', 0.1],
    ['100\u00b5s', 0.1],
    ['100\u03bcs', 0.1],
    ['500ns', 0.0005],
    ['87600h', 87_600 * HOUR],
  ])('reads %j as %d ms', (text, ms) => {
    expect(parseDuration(text)).toBeCloseTo(ms, 9);
  });

  it.each([
    '5',
    '1',
    's',
    'ms',
    '1 s',
    ' 1s',
    '1s ',
    '1S',
    '1d',
    '1w',
    '1m30',
    '--1s',
    '+1s',
    '1..5s',
    '0x1s',
    '1e3s',
    'NaN',
    '١s',
  ])('refuses %j with the value and an example', (text) => {
    expect(() => parseDuration(text)).toThrow(JSON.stringify(text));
    expect(() => parseDuration(text)).toThrow('such as "500ms"');
  });

  it.each(['-1s', '-5m', '-0s'])('refuses %j as negative', (text) => {
    expect(() => parseDuration(text)).toThrow('is negative');
  });

  it.each(['100000h', `${'9'.repeat(90)}h`])('refuses %j as too long', (text) => {
    expect(() => parseDuration(text)).toThrow('longer than ten years');
  });

  it('refuses a huge text quickly, shortened, as a 400', () => {
    // The work of this process and not the time it takes: other processes may want the machine too.
    const started = process.cpuUsage().user;
    try {
      parseDuration(`${'1'.repeat(1_000_000)}x`);
      throw new Error('must not get here');
    } catch (error) {
      expect(isBacklotError(error) && error.status).toBe(400);
      expect((error as Error).message.length).toBeLessThan(300);
    }
    expect((process.cpuUsage().user - started) / 1000).toBeLessThan(500);
  });
});

describe('parseLongDuration', () => {
  it.each<[string, number]>([
    ['', 0],
    ['-0', 0],
    ['1d', 24 * HOUR],
    ['-1d', -24 * HOUR],
    ['+2h', 2 * HOUR],
    ['1d12h', 36 * HOUR],
    ['-1.5d', -36 * HOUR],
    ['36500d', 36_500 * 24 * HOUR],
  ])('reads %j as %d ms', (text, ms) => {
    expect(parseLongDuration(text)).toBe(ms);
  });

  it.each(['-', '+', '1w', '--1d', '1000000d'])('refuses %j', (text) => {
    expect(() => parseLongDuration(text)).toThrow(JSON.stringify(text));
  });
});

describe('formatDuration', () => {
  it.each<[number, string]>([
    [0, '0s'],
    [300, '300ms'],
    [1.5, '1.5ms'],
    [0.1, '100\u00b5s'],
    [0.0015, '1.5\u00b5s'],
    [0.000001, '1ns'],
    [SECOND, '1s'],
    [1500, '1.5s'],
    [MINUTE, '1m0s'],
    [90 * SECOND, '1m30s'],
    [HOUR, '1h0m0s'],
    [25 * HOUR + MINUTE + 1001, '25h1m1.001s'],
    [999.9999999, '1s'],
    [-1500, '-1.5s'],
  ])('writes %d ms as %j', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it.each(['0s', '1ns', '1.5ms', '1m30s', '1h0m0s', '100h0m0.000000001s'])('gives back %j', (text) => {
    expect(formatDuration(parseDuration(text))).toBe(text);
  });
});
