import { describe, expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import { makeServer } from '../src/wire/make-server.js';
import type { Transactions } from '../src/transactions.js';

const MAILS = 300;

type OnData = (stream: unknown, session: unknown, callback: () => void) => void;

describe('mails that were taken', () => {
  it('hold little more memory than they have bytes', async () => {
    const buffers = new Set<ArrayBufferLike>();
    let size = 0;
    const server = makeServer({
      domain: 'a.test',
      maxMessageBytes: 1000,
      startTls: 'absent',
      authentication: { isOptional: true, methods: [], check: () => undefined },
      transactionsOf: () =>
        ({
          finish(_recipients: unknown, raw: Buffer | undefined, answer: (reply: object) => void) {
            if (raw !== undefined) buffers.add(raw.buffer);
            size += raw?.length ?? 0;
            answer({ code: 250, text: 'OK' });
          },
        }) as unknown as Transactions,
    });
    const { onData } = server as unknown as { readonly onData: OnData };
    for (let index = 0; index < MAILS; index += 1) {
      // As the parser hands it over: a part of a small buffer in the pool that Node.js cuts such from.
      const whole = Buffer.concat([
        Buffer.from('\r\n'),
        Buffer.from(`Subject: ${index}\r\n\r\nhello\r\n.\r\n`),
      ]);
      const stream = Readable.from([whole.subarray(2, -3)], { objectMode: false });
      await new Promise<void>((resolve) =>
        onData(Object.assign(stream, { sizeExceeded: false }), { envelope: { rcptTo: [] } }, resolve),
      );
      // What else is made meanwhile.
      for (let count = 0; count < 3; count += 1) Buffer.allocUnsafe(3000);
    }
    const held = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(held).toBeLessThan(2 * size + 16_384);
  });
});
