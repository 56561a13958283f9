import { describe, expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { startReference } from './reference-server.js';
import { converse, QUIET, startHost } from './support.js';

const HEADERS = 'CONNECT {"headers":true,"no_responders":true}\r\n';
const SILENT = 'CONNECT {"verbose":false}\r\n';

/** What is said to both servers, and answered by both with the same bytes. */
const CONVERSATIONS = [
  '',
  SILENT,
  'CONNECT {"verbose":true}\r\nPING\r\nSUB a 1\r\nPUB a 2\r\nhi\r\nUNSUB 1\r\nPONG\r\n',
  'SUB a 1\r\nPUB a 1\r\nx\r\n',
  'FOO\r\n',
  '\r\n',
  `${SILENT} PING\r\n`,
  `${SILENT}PUB\r\n`,
  `${SILENT}SUB\r\n`,
  `${SILENT}UNSUB\r\n`,
  `${SILENT}PUBX a 1\r\nx\r\n`,
  `${SILENT}PUBa 1\r\n`,
  `${SILENT}MSG a 1 1\r\nx\r\n`,
  `${SILENT}PUB a 1048577\r\nx\r\n`,
  `${QUIET}HPUB a 1048577 1048577\r\n`,
  `${SILENT}PUB a 2\r\nhixx\r\n`,
  `${SILENT}PUB a 2\r\nhi\n`,
  `${SILENT}PUB ${'a'.repeat(5000)} 1\r\nx\r\n`,
  `${SILENT}ping\r\npInG\r\npub\ta\t1\r\nx\r\nPUB   a   1  \r\nx\r\n+OK\r\nPONG\r\nINFO {}\r\n`,
  'CONNECT {}\n',
  'CONNECT null\r\n',
  'CONNECT {"VERBOSE":false}\r\n',
  'CONNECT {"no_responders":true}\r\n',
  'CONNECT {"protocol":5}\r\n',
  'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
  `${SILENT}SUB a..b 1\r\nSUB .a 1\r\nSUB a.>.b 1\r\n`,
  `${SILENT}PUB a..b 1\r\nx\r\nPUB a.* 1\r\nx\r\n`,
  'CONNECT {"verbose":true,"pedantic":true}\r\nPUB a..b 1\r\nx\r\nPUB > 1\r\nx\r\nSUB a..b 1\r\n',
  `${QUIET}SUB > 1\r\nPUB a..b 1\r\nx\r\nPUB .a 1\r\nx\r\nPUB a. 1\r\nx\r\nPUB a.*.b 1\r\ny\r\nPUB * r 1\r\ny\r\n`,
  `${SILENT}SUB a 1\r\nSUB a 1\r\nPUB a 1\r\nx\r\nSUB b 1\r\nPUB b 1\r\ny\r\n`,
  `${SILENT}SUB a 1\r\nUNSUB 1 x\r\nPUB a 1\r\nz\r\n`,
  `${SILENT}SUB a 1\r\nUNSUB 1 0\r\nPUB a 1\r\nz\r\nUNSUB 99\r\n`,
  `${SILENT}SUB a 1\r\nUNSUB 1 1\r\nPUB a 1\r\nx\r\nPUB a 1\r\nx\r\n`,
  `${SILENT}SUB a 1\r\nPUB a 1\r\nx\r\nUNSUB 1 1\r\nPUB a 1\r\nx\r\n`,
  `${SILENT}SUB a 1\r\nPUB a 1\r\nx\r\nUNSUB 1 3\r\nPUB a 1\r\nx\r\nPUB a 1\r\nx\r\nPUB a 1\r\nx\r\n`,
  `${SILENT}SUB a q 1\r\nSUB a q 1\r\nPUB a 1\r\nx\r\nUNSUB 1\r\nPUB a r 1\r\nx\r\n`,
  `${SILENT}SUB a 1\r\nPUB a 0\r\n\r\n`,
  `${HEADERS}SUB a 1\r\nHPUB a 5 5\r\nhello\r\nHPUB a 0 5\r\nhello\r\n`,
  `${QUIET}SUB a 1\r\nHPUB a re 12 16\r\nNATS/1.0\r\n\r\nabcd\r\nHPUB a 12 12\r\nNATS/1.0\r\n\r\n\r\n`,
  `${HEADERS}PUB none rep 1\r\nx\r\n`,
  `${HEADERS}SUB rep 3\r\nPUB none rep 1\r\nx\r\n`,
  `${QUIET}SUB r 1\r\nPUB nobody.. r 1\r\nx\r\nUNSUB 1 1\r\nPUB nobody r 1\r\nx\r\nPUB nobody r 1\r\nx\r\n`,
  `${SILENT}SUB rep 3\r\nPUB none rep 1\r\nx\r\n`,
  `${QUIET}SUB r 1\r\nPUB $SYS.REQ.USER.INFO r 0\r\n\r\nPUB $JS.ACK.x r 0\r\n\r\nPUB $JS.API.CONSUMER.MSG.NEXT.s.c r 0\r\n\r\n`,
  'CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true,"echo":false}\r\nSUB a 1\r\nSUB r 2\r\nPUB a r 1\r\nx\r\n',
  `${QUIET}SUB \xc3\xa9.\xff 1\r\nPUB \xc3\xa9.\xff 1\r\nx\r\n`,
  `${SILENT}SUB a\0b 2\r\nPUB a\0b 1\r\nx\r\n`,
  `${QUIET}PUB a 3\r\n\r\n\r\r\n`,
];

/** It resets connections that it cuts, so that its last words may be lost on the way: then it is asked again. */
async function converseWithReference(port: number, conversation: string): Promise<string> {
  let answer = '';
  for (let tries = 0; tries < 50; tries += 1) {
    answer = await converse(port, conversation);
    if (!answer.endsWith('<closed>') || answer.includes('-ERR')) break;
  }
  return answer;
}

describe('nats-server', () => {
  itWithTool('nats-server', 'answers the same bytes', async () => {
    const { port } = await startHost();
    const reference = await startReference();
    for (const conversation of CONVERSATIONS) {
      const [ours, theirs] = await Promise.all([
        converse(port, conversation),
        converseWithReference(reference, conversation),
      ]);
      expect([conversation, ours]).toEqual([conversation, theirs]);
    }
  });
});
