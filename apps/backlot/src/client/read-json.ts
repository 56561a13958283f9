import { StringDecoder } from 'node:string_decoder';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Reads a JSON value; a list item by item as it comes, since the list of a server may be longer than a text can be.
 *
 * @throws SyntaxError when it is no JSON, and what the stream fails with
 */
export async function readJson(stream: AsyncIterable<Buffer>): Promise<unknown> {
  let list: ListReader | undefined;
  const others: Buffer[] = [];
  for await (const chunk of stream) {
    if (others.length === 0 && chunk[0] === OPEN_LIST) list ??= new ListReader();
    if (list === undefined) others.push(chunk);
    else list.read(chunk);
  }
  return list === undefined ? JSON.parse(Buffer.concat(others).toString()) : list.end();
}

/** Splits the text of a list where its items end. */
class ListReader {
  readonly #items: unknown[] = [];
  readonly #decoder = new StringDecoder('utf8');
  /** What has come of the item that has not ended. */
  #pieces: string[] = [];
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #isOver = false;

  read(chunk: Buffer): void {
    const text = this.#decoder.write(chunk);
    let start = 0;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (this.#isText) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (code === BACKSLASH) this.#isEscaped = true;
        else if (code === QUOTE) this.#isText = false;
      } else if (code === QUOTE) {
        this.#isText = true;
      } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
        this.#depth += 1;
        if (this.#depth === 1) start = index + 1;
      } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
        this.#depth -= 1;
        if (this.#depth > 0) continue;
        if (code === CLOSE_OBJECT) throw new SyntaxError('the list ends as an object does');
        this.#take(text.slice(start, index), this.#items.length > 0);
        this.#isOver = true;
        start = index + 1;
      } else if (code === COMMA && this.#depth === 1) {
        this.#take(text.slice(start, index), true);
        start = index + 1;
      }
    }
    this.#pieces.push(text.slice(start));
  }

  end(): unknown[] {
    if (this.#isOver && this.#depth === 0 && this.#pieces.join('').trim() === '') return this.#items;
    throw new SyntaxError('the list does not end as a list does');
  }

  /** @param isNeeded - whether an item must be there: before the end of an empty list there is none */
  #take(last: string, isNeeded: boolean): void {
    const text = this.#pieces.join('') + last;
    this.#pieces = [];
    if (isNeeded || text.trim() !== '') this.#items.push(JSON.parse(text));
  }
}
