// What a produced record costs: a bare node:net server that cuts the frames and answers, against this plugin with 1 and
// with 10,000 mocks, and with a mock that answers each record with one of its own. Requests are those of kafkajs, each
// with one record or with a hundred, pipelined.
import { createRequire } from 'node:module';
import { createHost } from '@backlot/core';
import { kafka } from '@backlot/kafka';
import { compareServers, countFrames, listen, loadStreams, serveMocks } from '@backlot/tooling/bench';

const MANY = 10_000;
const UNDER_WAY = 64;
/** So many of the topics are asked for. */
const TOPICS = 200;

const require = createRequire(import.meta.url);
const createRequest = require('kafkajs/src/protocol/requests/produce/v7/request');
const wrap = require('kafkajs/src/protocol/request');

const topicOf = (n) => `topic-${n}`;
const match = (n) => ({ topic: topicOf(n), value: { contains: 'value' } });
const serve = serveMocks(createHost, kafka, (n, response) => ({ ...match(n), ...response }));
/** The bytes of a request or an answer, whose length comes first. */
const sizeOf = (bytes, at) => (bytes.length - at < 4 ? 0 : 4 + bytes.readInt32BE(at));

await compareServers(import.meta.url, {
  name: 'kafka',
  unit: 'record',
  servers: {
    bare: () => listen(answerBare),
    one: serve(1),
    many: serve(MANY),
    responses: serve(1, { response: { topic: 'answers', key: '{{request.key}}', value: 'seen' } }),
  },
  cases: [
    { label: 'bare node:net', server: 'bare' },
    { label: '1 mock', server: 'one' },
    { label: '10,000 mocks', server: 'many', topics: TOPICS },
    { label: 'a response each', server: 'responses' },
  ],
  load: { 'one by one': await produce(1), 'by the hundred': await produce(100) },
  ratios: [
    { what: '10,000 mocks', of: '1 mock' },
    { what: '1 mock', of: 'bare node:net', goal: 0.9 },
  ],
});

/** Cuts frames, reads the header and the topic, and answers Produce 7. */
function answerBare(socket) {
  const answers = [];
  const count = countFrames(sizeOf, (request) => answers.push(answerTo(request.subarray(4))));
  socket.on('data', (chunk) => {
    if (count(chunk) > 0) socket.write(Buffer.concat(answers.splice(0)));
  });
}

function answerTo(frame) {
  const at = 10 + frame.readInt16BE(8) + 2 + 2 + 4 + 4;
  const length = frame.readInt16BE(at);
  const answer = Buffer.alloc(4 + 4 + 4 + 2 + length + 4 + 4 + 2 + 8 + 8 + 8 + 4);
  answer.writeInt32BE(answer.length - 4, 0);
  answer.writeInt32BE(frame.readInt32BE(4), 4);
  answer.writeInt32BE(1, 8);
  frame.copy(answer, 12, at, at + 2 + length);
  answer.writeInt32BE(1, 14 + length);
  return answer;
}

async function produce(size) {
  const requests = await Promise.all(
    Array.from({ length: TOPICS }, (_, n) => encode((n * 617) % MANY, size)),
  );
  return async ({ label, port, topics = 1 }, milliseconds) => {
    const answered = await loadStreams({
      port,
      milliseconds,
      underWay: UNDER_WAY,
      ask: (n) => requests[n % topics],
      counter: () =>
        countFrames(sizeOf, (answer) => {
          if (answer.readInt16BE(22 + answer.readInt16BE(12)) !== 0)
            throw new Error(`${label} refused a record`);
          return true;
        }),
    });
    return answered * size;
  };
}

/** A request of kafkajs with so many records of 100 bytes. */
async function encode(topic, size) {
  const messages = Array.from({ length: size }, (_, n) => ({
    key: `key-${n}`,
    value: `value ${n} `.padEnd(100, 'x'),
    headers: {},
    timestamp: Date.now(),
  }));
  const topicData = [{ topic: topicOf(topic), partitions: [{ partition: 0, firstSequence: 0, messages }] }];
  const request = createRequest({ acks: 1, timeout: 1000, producerEpoch: -1, topicData });
  return (await wrap({ correlationId: 1, clientId: 'bench', request })).buffer;
}
