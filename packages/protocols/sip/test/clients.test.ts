import { describe, expect } from '@jest/globals';
import { itWithTool, runTool, type ToolResult } from '@backlot/conformance';
import { startHost } from './support.js';

const SDP =
  'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 6000 RTP/AVP 0\r\n';
const CALL = { id: 'call', method: 'INVITE', provisional: [100, 180], response: { body: SDP } };

/** Without `-p`: sipp finds a free port by itself, for UDP and TCP alike. */
function runSipp(port: number, ...args: string[]): Promise<ToolResult> {
  return runTool('sipp', [`127.0.0.1:${port}`, '-i', '127.0.0.1', '-nostdin', '-timeout', '30s', ...args]);
}

describe('sipp', () => {
  itWithTool(
    'sipp',
    'makes 1,000 calls over UDP without a failure',
    async () => {
      const { port, host, log } = await startHost([CALL]);
      const { code, out } = await runSipp(port, '-sn', 'uac', '-m', '1000', '-r', '500', '-d', '0');
      expect(out).toMatch(/Successful call +\| +\d+ +\| +1000/);
      expect(out).toMatch(/Failed call +\| +\d+ +\| +0/);
      expect(code).toBe(0);
      expect(host.kind('sip').calls.of('call').count).toBe(1000);
      expect(log).toEqual([]);
    },
    40_000,
  );

  itWithTool(
    'sipp',
    'makes calls over a network that loses one message of twenty, each of them once',
    async () => {
      const { port, host } = await startHost([CALL]);
      const { code, out } = await runSipp(
        port,
        '-sn',
        'uac',
        '-m',
        '200',
        '-r',
        '400',
        '-d',
        '0',
        '-lost',
        '5',
      );
      expect(out).toMatch(/Failed call +\| +\d+ +\| +0/);
      expect(code).toBe(0);
      expect(host.kind('sip').calls.of('call').count).toBe(200);
    },
    40_000,
  );

  itWithTool(
    'sipp',
    'makes 1,000 calls over TCP without a failure',
    async () => {
      const { port, host } = await startHost([CALL]);
      const { code, out } = await runSipp(
        port,
        '-sn',
        'uac',
        '-t',
        't1',
        '-m',
        '1000',
        '-r',
        '500',
        '-d',
        '0',
      );
      expect(out).toMatch(/Failed call +\| +\d+ +\| +0/);
      expect(code).toBe(0);
      expect(host.kind('sip').calls.of('call').count).toBe(1000);
    },
    40_000,
  );
});

describe('sipsak', () => {
  itWithTool('sipsak', 'asks for options', async () => {
    const { port } = await startHost();
    const { code, out } = await runTool('sipsak', ['-vv', '-s', `sip:nobody@127.0.0.1:${port}`]);
    expect(out).toContain('SIP/2.0 200 OK');
    expect(code).toBe(0);
  });

  itWithTool('sipsak', 'registers', async () => {
    const { port, host } = await startHost();
    const { code, out } = await runTool('sipsak', [
      ...['-U', '-C', 'sip:alice@127.0.0.1:5070', '-x', '60', '-vvv'],
      ...['-s', `sip:alice@127.0.0.1:${port}`],
    ]);
    expect(out).toContain('200 OK');
    expect(code).toBe(0);
    expect(host.journal.list().map(({ method, status }) => `${String(method)} ${String(status)}`)).toContain(
      'REGISTER 200',
    );
  });
});
