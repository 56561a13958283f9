import { describe, expect, it } from '@jest/globals';
import { mulberry32 } from '@backlot/conformance';
import { faultSteps, parseJson } from '../src/safety/parse-json.js';
import { parseLargeJson } from '@backlot/core/plugin';

function parse(text: string, piece?: number): { readonly value: unknown; readonly steps: number } {
  const parser = parseLargeJson(text, piece);
  for (let steps = 0; ; steps += 1) {
    const step = parser.next();
    if (step.done === true) return { value: step.value, steps };
  }
}

function outcomeOf(run: () => unknown): unknown {
  try {
    return { value: run() };
  } catch {
    return 'refused';
  }
}

const below = mulberry32(7);

function anyValue(depth: number): unknown {
  switch (below(depth > 0 ? 8 : 5)) {
    case 0:
      return below(1000) - 500;
    case 1:
      return ['', '"', '\\', '[{,:', ']}', 'é😀', '\n'][below(7)];
    case 2:
      return [true, false, null][below(3)];
    case 3:
      return 'x'.repeat(below(60));
    case 4:
      return below(2) === 0 ? [] : {};
    case 5:
    case 6:
      return Array.from({ length: below(9) }, () => anyValue(depth - 1));
    default:
      return Object.fromEntries(
        Array.from({ length: below(7) }, () => [
          ['a', 'b', '', '"', '__proto__', 'constructor', '1'][below(7)],
          anyValue(depth - 1),
        ]),
      );
  }
}

describe('parseLargeJson', () => {
  it('refuses a text of more values than memory is for, before it makes any', () => {
    expect(() => parse(`[${'{},'.repeat(2_200_000)}1]`)).toThrow(/more than 2000000 values/);
    expect(() => parse(`[${'1,'.repeat(2_500_000)}1]`)).toThrow(/more than 2000000 values/);
    expect((parse(`[${'1,'.repeat(500_000)}1]`).value as unknown[]).length).toBe(500_001);
  });

  it('gives what JSON.parse gives, however small the pieces are', () => {
    for (let round = 0; round < 2000; round += 1) {
      const text = JSON.stringify(anyValue(5), undefined, below(3));
      expect(outcomeOf(() => parse(text, 1 + below(40)).value)).toEqual({
        value: JSON.parse(text) as unknown,
      });
    }
  });

  it.each(['[,{"a":1}]', '[ ,1]', '[   ,[1]]', '{,"a":{}}', '{ ,"a":1}'])('refuses %s', (text) => {
    for (let piece = 1; piece < 12; piece += 1) expect(() => parse(text, piece)).toThrow();
  });

  it('refuses what JSON.parse refuses', () => {
    const pieces = ['[', ']', '{', '}', ',', ':', '"', '1', ' ', 'x', '\\', '-', 'true'];
    for (let round = 0; round < 6000; round += 1) {
      const text = JSON.stringify(anyValue(4));
      const at = below(text.length + 1);
      const changed = text.slice(0, at) + (pieces[below(pieces.length)] ?? '') + text.slice(at + below(3));
      expect([changed, outcomeOf(() => parse(changed, 1 + below(20)).value)]).toEqual([
        changed,
        outcomeOf(() => JSON.parse(changed)),
      ]);
    }
  });

  it('takes a step at least for each 100 KB of a list, of an object, and of what they hold', () => {
    const list = JSON.stringify(Array.from({ length: 100_000 }, (_, index) => ({ id: index })));
    const object = JSON.stringify(
      Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`key-${index}`, 'value'])),
    );
    for (const text of [list, object, `{"a":[[${list}]],"b":{"c":${object}}}`]) {
      const { value, steps } = parse(text);
      expect(JSON.stringify(value)).toBe(text);
      expect(steps).toBeGreaterThan(text.length / 100_000);
    }
  });

  it('takes objects of a hundred thousand members', () => {
    const text = (count: number): string =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, 1])));
    expect(Object.keys(parse(text(100_000)).value as object)).toHaveLength(100_000);
    expect(() => parse(text(100_001))).toThrow('an object of more than 100000 members');
  });

  it('says where a large body is no JSON', async () => {
    const line = `${'1,'.repeat(1000)}\n`;
    const refusal = async (text: string): Promise<string> => {
      try {
        await parseJson(Buffer.from(text));
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(await refusal(`[${line.repeat(200)}x]`)).toContain(
      'expected a JSON value at position 400201 (line 201, column 1), got "x"',
    );
    expect(await refusal(`[${line.repeat(200)}]`)).toContain('expected a JSON value at position 400201');
    expect(await refusal(`[${line.repeat(200)}1`)).toContain('expected "," or "]" at position 400202');
    expect(await refusal(`[${line.repeat(200)}1] 2`)).toContain('expected the end of the text');
    expect(await refusal(`${'['.repeat(65)}${line.repeat(200)}`)).toContain(
      'nested deeper than 64 levels at byte 64',
    );
    expect(await refusal(`{"a":${'{"b":'.repeat(30)}[${line.repeat(200)}1]`)).toContain('expected');
  });

  it('says where a text is no JSON in steps, however many lines stand before it', () => {
    const found = faultSteps(`${'\n'.repeat(1_000_000)}x`, { position: 1_000_000, expected: 'a JSON value' });
    let steps = 0;
    let step = found.next();
    for (; step.done !== true; step = found.next()) steps += 1;
    expect(steps).toBeGreaterThan(2);
    expect(step.value).toBe(
      'the body is not JSON: expected a JSON value at position 1000000 (line 1000001, column 1), got "x"',
    );
  });

  it('refuses a long text of white space as a short one', async () => {
    const messageOf = async (length: number): Promise<string> => {
      try {
        return String(await parseJson(Buffer.alloc(length, '\n')));
      } catch (thrown) {
        return thrown instanceof Error ? thrown.message.replaceAll(String(length), 'n') : '';
      }
    };
    const short = await messageOf(1_000);
    expect(short).toContain('the body is not JSON: expected a JSON value at position n');
    expect((await messageOf(1_000_000)).replace('line 1000001', 'line 1001')).toBe(short);
  });

  it('lets others in while it parses', async () => {
    const text = Buffer.from(JSON.stringify(Array.from({ length: 400_000 }, (_, index) => ({ id: index }))));
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    expect(await parseJson(text)).toHaveLength(400_000);
    isDone = true;
    expect(turns).toBeGreaterThan(3);
  });
});
