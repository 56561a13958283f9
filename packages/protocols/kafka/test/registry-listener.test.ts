import { once } from 'node:events';
import https from 'node:https';
import net from 'node:net';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { ask, startRegistry } from './registry-support.js';

describe('the listener of the schema registry', () => {
  it('is found by variables, and counts among the connections', async () => {
    const started = await startRegistry();
    const kafka = started.host.kind('kafka');
    const { port } = new URL(started.url);
    expect(kafka.beside).toEqual([
      { name: 'schema-registry', url: started.url, address: { host: '127.0.0.1', port: Number(port) } },
    ]);
    expect(kafka.variables).toMatchObject({
      SCHEMA_REGISTRY_URL: started.url,
      SCHEMA_REGISTRY_PORT: port,
      KAFKA_PORT: String(kafka.address?.port),
    });
    const socket = net.connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    expect((await ask(started, 'GET /subjects')).body).toEqual([]);
    expect(kafka.connections.list().some(({ id }) => id.startsWith('schema-registry-'))).toBe(true);
    socket.destroy();
    await started.host.stop();
    expect(kafka.beside).toEqual([]);
    expect(kafka.variables).toEqual({});
  });

  it('has the TLS of its kind', async () => {
    const started = await startRegistry({}, { tls: { self_signed: true } });
    expect(started.url).toMatch(/^https:/);
    const request = https.get(`${started.url}/subjects`, { rejectUnauthorized: false, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toBe('[]');
  });

  it('has the faults of its kind that hit new connections', async () => {
    const started = await startRegistry();
    started.host.faults.set('kafka', { phase: 'connect' });
    await expect(ask(started, 'GET /subjects')).rejects.toThrow('fetch failed');
    started.host.faults.clear('kafka');
    expect((await ask(started, 'GET /subjects')).status).toBe(200);
  });
});
