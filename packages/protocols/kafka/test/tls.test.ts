import { describe, expect, it } from '@jest/globals';
import { processCertificate } from '@backlot/kit';
import { itWithTool, runTool } from '@backlot/conformance';
import { connectKafkaJs, startHost, startProducer } from './support.js';

describe('with TLS', () => {
  it('clients that trust the certificate are served', async () => {
    const running = await startHost({ tls: { self_signed: true } });
    const { cert: ca } = await processCertificate();
    const producer = await startProducer(connectKafkaJs(running, { ssl: { ca } }));
    const [sent] = await producer.send({ topic: 'in', messages: [{ value: 'a' }] });
    expect(sent?.errorCode).toBe(0);
  });

  itWithTool('kcat', 'kcat is served, and without TLS is not', async () => {
    const running = await startHost({ tls: { self_signed: true } });
    const tls = ['-X', 'security.protocol=ssl', '-X', 'enable.ssl.certificate.verification=false'];
    expect((await runTool('kcat', ['-b', running.address, '-L', ...tls])).out).toContain('broker 1 at');
    expect((await runTool('kcat', ['-b', running.address, '-L', '-m', '1'])).code).not.toBe(0);
  });
});
