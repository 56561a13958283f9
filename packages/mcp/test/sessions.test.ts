import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { createAgentHandler } from '../src/http.js';

let server: Server;
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

it('holds a hundred sessions: the one that was used longest ago makes room, and its space ends', async () => {
  const ended: string[] = [];
  const errors: Error[] = [];
  let made = 0;
  const answer = createAgentHandler(
    {
      version: '1',
      apiOf: () => ({ call: async () => ({}) }),
      ownSpace() {
        const id = `s${(made += 1)}`;
        return { id, call: async () => ({}), end: async () => void ended.push(id) };
      },
    },
    (error) => void errors.push(error),
  );
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const post = async (
    method: string,
    params: object,
    more: Record<string, string> = {},
  ): Promise<Response> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(url, { method: 'POST', headers: { ...headers, ...more }, body });
    await response.text();
    return response;
  };
  const begin = async (): Promise<string> => {
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    return (await post('initialize', params)).headers.get('mcp-session-id') ?? '';
  };
  const first = await begin();
  for (let count = 1; count < 100; count += 1) await begin();
  expect(ended).toEqual([]);
  expect((await post('tools/list', {}, { 'mcp-session-id': first })).status).toBe(200);
  const last = await begin();
  expect(ended).toEqual(['s2']);
  expect((await post('tools/list', {}, { 'mcp-session-id': first })).status).toBe(200);
  expect(
    (await fetch(url, { method: 'DELETE', headers: { ...headers, 'mcp-session-id': last } })).status,
  ).toBe(200);
  expect(ended).toEqual(['s2', 's101']);
  expect((await post('tools/list', {}, { 'mcp-session-id': last })).status).toBe(404);
  expect(errors).toEqual([]);
});
