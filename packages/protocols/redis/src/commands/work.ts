import type { Glob } from '../data/glob.js';
import { lengthOf, type Text } from '../data/text.js';
import type { Blocking } from '../data/waiters.js';
import { longBulk, LongReply, MANY, Pages, type Encoded } from '../wire/long-reply.js';
import { bulk, nil, type Resp } from '../wire/reply.js';

/** A command carried out step by step, since it may take long: it yields wherever others may be let in. */
export type Work = Generator<unknown, Encoded | Blocking>;

/** An encoded answer (empty: none), what the client waits for, or the work that makes either. */
export type Answer = Encoded | Blocking | Work;

/** Steps between which others may be let in: so many are always done within a fraction of a slice. */
export const STEP = 64;

/** How the items of a list are encoded. */
export interface ItemForm<T> {
  encode(item: T): Encoded;
  /** The bytes of an item, roughly. */
  weigh(item: T): number;
}

/** Bulk strings. */
export const BULKS: ItemForm<string> = { encode: longBulk, weigh: (item) => item.length };

/** Bulk strings, some of which are not there. */
export function bulksOrNil(resp: Resp): ItemForm<Text | undefined> {
  return {
    encode: (item) => (item === undefined ? nil(resp) : longBulk(item)),
    weigh: (item = '') => lengthOf(item),
  };
}

/** Fields with their values, one behind the other. */
export const FIELDS: ItemForm<readonly [field: string, value: string]> = {
  encode: ([field, value]) => bulk(field) + bulk(value),
  weigh: ([field, value]) => field.length + value.length,
};

/** Answers of a few bytes that are encoded already. */
export const READY: ItemForm<string> = { encode: (item) => item, weigh: (item) => item.length };

/** How many of the arguments from `first` on something is true of, gone through step by step. */
export function* countEach(
  args: readonly string[],
  first: number,
  test: (arg: string) => boolean,
): Generator<undefined, number> {
  let count = 0;
  for (let index = first; index < args.length; index += 1) {
    if (test(args[index] ?? '')) count += 1;
    if (index % STEP === 0) yield;
  }
  return count;
}

/** The line before the items of an array. */
export function listHead(count: number): string {
  return `*${count}\r\n`;
}

/** Whether an answer has to be worked for. */
export function isWork(answer: Answer): answer is Work {
  return typeof answer === 'object' && 'next' in answer;
}

/**
 * A list as an answer, made step by step when it is long.
 *
 * @param head - the line before the items
 * @param items - begins a new run through the items
 */
export function answerList<T>(
  head: string,
  count: number,
  items: () => Iterable<T>,
  form: ItemForm<T>,
): Encoded | Generator<undefined, Encoded> {
  return count > MANY ? gatherList(() => head, items(), form) : gatherFew(head, items(), form);
}

/**
 * A list of which the length is known at its end as an answer, made step by step.
 *
 * @param head - makes the line before the items
 */
export function* gatherList<T>(
  head: (count: number) => string,
  items: Iterable<T>,
  form: ItemForm<T>,
): Generator<undefined, Encoded> {
  const pages = new Pages<T>((item) => form.weigh(item));
  for (const item of items) {
    pages.add(item);
    if (pages.count % STEP === 0) yield;
  }
  return pages.reply(head(pages.count), (item) => form.encode(item));
}

/**
 * The items whose names match a pattern as a list, made step by step.
 *
 * @param head - makes the line before the items
 */
export function* gatherMatches<T>(
  head: (count: number) => string,
  items: Iterable<T>,
  glob: Glob,
  nameOf: (item: T) => string,
  form: ItemForm<T>,
): Generator<undefined, Encoded> {
  const pages = new Pages<T>((item) => form.weigh(item));
  let seen = 0;
  for (const item of items) {
    if (yield* matches(glob, nameOf(item))) pages.add(item);
    seen += 1;
    if (seen % STEP === 0) yield;
  }
  return pages.reply(head(pages.count), (item) => form.encode(item));
}

/** Whether a name matches. Few names are so long that it takes several steps to find out. */
function* matches(glob: Glob, name: string): Generator<undefined, boolean> {
  return glob.isAny || (yield* glob.testInSteps(name));
}

function gatherFew<T>(head: string, items: Iterable<T>, form: ItemForm<T>): Encoded {
  const pages = new Pages<T>((item) => form.weigh(item));
  for (const item of items) pages.add(item);
  return pages.reply(head, (item) => form.encode(item));
}

/** Whether an answer is encoded already. */
export function isEncoded(answer: Answer): answer is Encoded {
  return typeof answer === 'string' || answer instanceof LongReply;
}
