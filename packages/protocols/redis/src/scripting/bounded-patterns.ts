import { GLOBALS, LuaFailure, LuaType, type LuaFunction, type LuaMachine } from './lua-machine.js';
import type { Pointer } from './lua-module.js';
import { MalformedPattern, PatternLimit, PatternSteps } from './pattern-steps.js';

/**
 * Most steps of one call of `string.find`, `match`, `gsub`, or of what `gmatch` gives: C goes through them at once. A step
 * is a byte that is compared, or one of the pattern that is looked at.
 */
export const MAX_PATTERN_STEPS = 2_000_000;

/** Without one of these a text is searched for as it is. */
const SPECIAL = new Set([...'^$*+?.([%-'].map((char) => char.charCodeAt(0)));
const CARET = 0x5e;
const ESCAPE = 0x25;
const QUESTION = 0x3f;
const STAR = 0x2a;
const PLUS = 0x2b;
const MINUS = 0x2d;
const LETTER_B = 0x62;

/** A text in the memory of Lua. */
interface Text {
  readonly at: number;
  readonly length: number;
}

/**
 * The functions of `string` that look for patterns, each over that of C on the stack, at 1 to 4: find, match, gmatch, gsub.
 * What may take long is gone through beforehand, step by step. That of C is then called in the place of ours, so that
 * what it says of its arguments is what it would have said.
 */
export function boundedPatterns(
  lua: LuaMachine,
  L: Pointer,
): Record<'find' | 'match' | 'gmatch' | 'gsub', LuaFunction> {
  const { x } = lua;
  const table = x.__indirect_function_table;
  const ofC = (index: number): LuaFunction => {
    const f = table.get(x.lua_tocfunction(L, index));
    return (thread) => Number(f(thread));
  };
  const find = ofC(1);
  const match = ofC(2);
  const gsub = ofC(4);
  const next = nextMatch(lua, L);
  const bounded =
    (f: LuaFunction, check: (thread: Pointer) => void): LuaFunction =>
    (thread) => {
      if (isText(lua, thread, 1) && isText(lua, thread, 2)) check(thread);
      return f(thread);
    };
  return {
    find: bounded(find, (thread) => checkSearch(lua, thread, true)),
    match: bounded(match, (thread) => checkSearch(lua, thread, false)),
    gmatch(thread) {
      x.luaL_checklstring(thread, 1, 0);
      x.luaL_checklstring(thread, 2, 0);
      x.lua_settop(thread, 2);
      x.lua_pushnumber(thread, 0);
      x.lua_pushcclosure(thread, next, 3);
      return 1;
    },
    gsub: bounded(gsub, (thread) => checkGsub(lua, thread)),
  };
}

/** What `gmatch` of C gives, over the same values: the subject, the pattern, and where the last match ended. */
function nextMatch(lua: LuaMachine, L: Pointer): number {
  const { x } = lua;
  x.lua_pushvalue(L, 3);
  lua.push(L, '');
  lua.push(L, '');
  x.lua_pcall(L, 2, 1, 0);
  const f = x.__indirect_function_table.get(x.lua_tocfunction(L, -1));
  lua.pop(L);
  return lua.makeFunction((thread) => {
    const subject = lua.textPlace(thread, GLOBALS - 1);
    const pattern = lua.textPlace(thread, GLOBALS - 2);
    const from = x.lua_tonumber(thread, GLOBALS - 3);
    if (from <= subject.length && mayBeLong(lua.bytes, pattern, subject.length - from, true))
      bound(lua, subject, (steps) => {
        for (let at = from; at <= subject.length; at += 1)
          if (steps.match(subject.at + at, pattern.at) >= 0) return;
      });
    return Number(f(thread));
  });
}

function isText(lua: LuaMachine, L: Pointer, index: number): boolean {
  const type = lua.type(L, index);
  return type === LuaType.string || type === LuaType.number;
}

function checkSearch(lua: LuaMachine, L: Pointer, canBePlain: boolean): void {
  const { x } = lua;
  const subject = lua.textPlace(L, 1);
  const pattern = lua.textPlace(L, 2);
  const from = start(lua.type(L, 3) <= 0 ? 1 : x.lua_tonumber(L, 3), subject.length);
  const { bytes } = lua;
  if (canBePlain && (x.lua_toboolean(L, 4) === 1 || !isSpecial(bytes, pattern))) {
    const places = subject.length - from - pattern.length + 1;
    if (places * pattern.length <= MAX_PATTERN_STEPS) return;
    bound(lua, subject, (steps) => countPlain(bytes, subject, pattern, from, steps));
    return;
  }
  const isAnchored = bytes[pattern.at] === CARET;
  if (!mayBeLong(bytes, pattern, subject.length - from, !isAnchored)) return;
  bound(lua, subject, (steps) => {
    const first = pattern.at + (isAnchored ? 1 : 0);
    const last = isAnchored ? from : subject.length;
    for (let at = from; at <= last; at += 1) if (steps.match(subject.at + at, first) >= 0) return;
  });
}

function checkGsub(lua: LuaMachine, L: Pointer): void {
  const { x } = lua;
  const subject = lua.textPlace(L, 1);
  const pattern = lua.textPlace(L, 2);
  const replacement = isText(lua, L, 3) ? lua.textPlace(L, 3).length : 0;
  const most = lua.type(L, 4) <= 0 ? Infinity : Math.trunc(x.lua_tonumber(L, 4));
  const { bytes } = lua;
  const isAnchored = bytes[pattern.at] === CARET;
  const isLong = mayBeLong(bytes, pattern, subject.length, !isAnchored);
  if (!isLong && (subject.length + 1) * replacement <= MAX_PATTERN_STEPS) return;
  bound(lua, subject, (steps) => {
    const first = pattern.at + (isAnchored ? 1 : 0);
    const end = subject.at + subject.length;
    let at = subject.at;
    for (let count = 0; count < most;) {
      const found = steps.match(at, first);
      if (found >= 0) {
        count += 1;
        steps.spend(replacement);
      }
      if (found > at) at = found;
      else if (at < end) at += 1;
      else return;
      if (isAnchored) return;
    }
  });
}

/** Where the search begins, from 0: as many bytes from the end when it is negative. */
function start(position: number, length: number): number {
  const whole = Math.trunc(position) || 0;
  const from = whole < 0 ? Math.max(whole + length + 1, 0) : whole;
  return Math.min(Math.max(from - 1, 0), length);
}

/** Whether a pattern has more than bytes that stand for themselves. */
function isSpecial(bytes: Uint8Array, { at, length }: Text): boolean {
  for (let p = at; p < at + length; p += 1) {
    const byte = bytes[p] ?? 0;
    if (byte === 0) return false;
    if (SPECIAL.has(byte)) return true;
  }
  return false;
}

/** Whether going through a subject of `length` bytes could take more steps than are allowed, at the worst. */
function mayBeLong(bytes: Uint8Array, { at, length: size }: Text, length: number, isFree: boolean): boolean {
  let worst = (size + 1) * (isFree ? length + 1 : 1);
  // What varies tries as many lengths as there are bytes, for each of what stands before it.
  for (let p = at; p < at + size && worst <= MAX_PATTERN_STEPS; p += 1) {
    const byte = bytes[p];
    if (byte === 0) break;
    if (byte === STAR || byte === PLUS || byte === MINUS) worst *= length + 2;
    else if (byte === QUESTION) worst *= 2;
    else if (byte === ESCAPE) {
      const next = bytes[p + 1] ?? 0;
      if (next === LETTER_B || (next >= 0x30 && next <= 0x39)) worst *= length + 2;
    }
  }
  return worst > MAX_PATTERN_STEPS;
}

/** As the search of C: where the first byte is, the others are compared. */
function countPlain(
  bytes: Uint8Array,
  subject: Text,
  pattern: Text,
  from: number,
  steps: PatternSteps,
): void {
  const last = subject.at + subject.length - pattern.length;
  for (let at = subject.at + from; at <= last; at += 1) {
    let same = 0;
    while (same < pattern.length && bytes[at + same] === bytes[pattern.at + same]) {
      same += 1;
      // Comparing bytes in C is quick.
      if ((same & 7) === 0) steps.spend(1);
    }
    if (same === pattern.length) return;
    if ((at & 7) === 0) steps.spend(1);
  }
}

/** @throws LuaFailure when it takes more steps than are allowed */
function bound(lua: LuaMachine, subject: Text, go: (steps: PatternSteps) => void): void {
  const end = subject.at + subject.length;
  try {
    go(new PatternSteps(lua.bytes, subject.at, end, MAX_PATTERN_STEPS));
  } catch (thrown) {
    if (thrown instanceof MalformedPattern) return;
    if (!(thrown instanceof PatternLimit)) throw thrown;
    throw new LuaFailure(
      thrown.message === 'too many items'
        ? 'pattern too complex'
        : `the pattern takes more than ${MAX_PATTERN_STEPS} steps in a text of ${subject.length} bytes`,
    );
  }
}
