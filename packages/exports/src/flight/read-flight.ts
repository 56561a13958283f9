import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { invalid, messageOf, nextTurn, Slice } from '@backlot/core/plugin';
import { FORMAT, LONGEST, VERSION, type FlightHeader, type FlightLine } from './format.js';
import { headerCheck, lineChecks } from './schemas.js';

/** What a recording may have, unpacked: a small file can say that it is very long. */
const MOST_BYTES = 1024 * 1024 * 1024;

const FOREIGN = 'it is no recording of Backlot, as "backlot save" writes them';

/**
 * Reads a recording a line at a time, in slices.
 *
 * @param file - its path
 * @returns the header, then the lines behind it without the last
 * @throws BacklotError `invalid` for what is no recording, or is damaged, or was written by a later version
 */
export async function* readFlight(
  file: string,
): AsyncGenerator<{ readonly header: FlightHeader } | { readonly line: FlightLine }, void, undefined> {
  const slice = new Slice();
  let number = 0;
  let end: number | undefined;
  let lastId = 0;
  for await (const text of readLines(file)) {
    number += 1;
    if (end !== undefined) throw damaged(number, 'it goes on behind its end');
    const value = parse(text, number);
    if (number === 1) yield { header: readHeader(value) };
    else {
      const line = readLine(value, number);
      if ('end' in line) {
        if (line.end !== number - 1)
          throw damaged(number, `${line.end} lines were written, and ${number - 1} are there`);
        ({ end } = line);
      } else {
        if ('entry' in line) lastId = checkOrder(line.entry, lastId, number);
        yield { line };
      }
    }
    if (slice.isOver) {
      await nextTurn();
      slice.restart();
    }
  }
  if (end === undefined)
    throw damaged(number, 'its end is missing: it was not written to the end, or was cut off');
}

async function* readLines(file: string): AsyncGenerator<string, void, undefined> {
  const { size, isGzip } = await lookAt(file);
  if (size === 0) throw invalid('it is empty: that is no recording of Backlot');
  if (!isGzip) throw invalid(FOREIGN);
  const gunzip = createGunzip();
  const source = createReadStream(file);
  source.on('error', (error) => gunzip.destroy(error));
  source.pipe(gunzip);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let waiting = '';
  let bytes = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MOST_BYTES)
        throw invalid(`it is longer than ${MOST_BYTES} bytes unpacked, which is not read`);
      waiting += decoder.decode(chunk, { stream: true });
      const lines = waiting.split('\n');
      waiting = lines.pop() ?? '';
      if (waiting.length > LONGEST) throw invalid(`it has a line of more than ${LONGEST} characters`);
      yield* lines;
    }
    waiting += decoder.decode();
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'Z_DATA_ERROR' || code === 'Z_BUF_ERROR' || code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw invalid(`it is damaged: ${messageOf(thrown)}`);
    throw thrown;
  } finally {
    source.destroy();
    gunzip.destroy();
  }
  if (waiting !== '') yield waiting;
  if (gunzip.bytesWritten < size) throw invalid('it is damaged: there is something behind its end');
}

/** How long a file is, and whether it begins as gzip does (RFC 1952). */
async function lookAt(file: string): Promise<{ readonly size: number; readonly isGzip: boolean }> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return { size: (await handle.stat()).size, isGzip: bytesRead === 2 && buffer.readUInt16BE() === 0x1f8b };
  } finally {
    await handle.close();
  }
}

function parse(text: string, number: number): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    if (number === 1) throw invalid(FOREIGN);
    throw damaged(number, 'it is no JSON');
  }
}

function readHeader(value: unknown): FlightHeader {
  const { format, version } = (value ?? {}) as { readonly format?: unknown; readonly version?: unknown };
  if (format !== FORMAT) throw invalid(FOREIGN);
  if (typeof version === 'number' && version > VERSION)
    throw invalid(
      `it has version ${version} of the format, and this Backlot reads versions up to ${VERSION}; open it with a newer one`,
    );
  const [problem] = headerCheck.check(value);
  if (problem !== undefined) throw damaged(1, `${problem.path}: ${problem.message}`);
  const header = value as FlightHeader;
  if (Number.isNaN(Date.parse(header.clock.now))) throw damaged(1, '/clock/now is no time');
  return header;
}

function readLine(value: unknown, number: number): FlightLine {
  const [name = ''] = Object.keys(value ?? {});
  const check = Object.hasOwn(lineChecks, name) ? lineChecks[name] : undefined;
  if (check === undefined) throw damaged(number, `"${name.slice(0, 100)}" is nothing that a recording has`);
  const [problem] = check.check(value);
  if (problem !== undefined) throw damaged(number, `${problem.path}: ${problem.message}`);
  return value as FlightLine;
}

function checkOrder(entry: unknown, last: number, number: number): number {
  const { id, timestamp } = entry as { readonly id: string; readonly timestamp: string };
  if (Number(id) <= last) throw damaged(number, `the id ${id} does not come after ${last}`);
  if (Number.isNaN(Date.parse(timestamp))) throw damaged(number, `"${timestamp}" is no time`);
  return Number(id);
}

function damaged(number: number, message: string): Error {
  return invalid(`it is damaged: line ${number}: ${message}`);
}
