import { afterEach, describe, expect, it } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { startHttp, stopAll } from './support/http-host.js';

afterEach(stopAll);

describe('forms', () => {
  it('are seen flat and nested', async () => {
    const server = await startHttp([
      {
        id: 'm',
        request: { path: '/', form: { 'items[1][price]': 'p2' } },
        response: {
          json: {
            all: '{{request.form}}',
            price: '{{request.form.items[0].price}}',
            flat: '{{request.form.metadata[order]}}',
            last: '{{request.form.items.1.quantity}}',
          },
        },
      },
    ]);
    const body = new URLSearchParams([
      ['amount', '5'],
      ['items[0][price]', 'p1'],
      ['items[1][price]', 'p2'],
      ['items[1][quantity]', '3'],
      ['metadata[order]', 'o1'],
      ['metadata[__proto__]', 'x'],
      ['tag', 'a'],
      ['tag', 'b'],
      ['list[]', 'c'],
      ['list[]', 'd'],
      ['far[7]', 'second'],
      ['far[2]', 'first'],
      ['odd[', 'o'],
    ]);
    const answer = await fetch(server.url, { method: 'POST', body });
    expect(await answer.text()).toBe(
      JSON.stringify({
        all: {
          amount: '5',
          tag: ['a', 'b'],
          'odd[': 'o',
          items: [{ price: 'p1' }, { price: 'p2', quantity: '3' }],
          metadata: { order: 'o1', ['__proto__']: 'x' },
          list: ['c', 'd'],
          far: ['first', 'second'],
        },
        price: 'p1',
        flat: 'o1',
        last: '3',
      }),
    );
  });
});

describe('XML', () => {
  it('is seen as nested values', async () => {
    const server = await startHttp([
      {
        id: 'm',
        request: { path: '/' },
        response: {
          json: { name: '{{request.xml.order.customer.@id}}', items: '{{request.xml.order.item}}' },
        },
      },
    ]);
    const body = '<order><customer id="7"/><item>a</item><item>b</item></order>';
    expect(await (await fetch(server.url, { method: 'POST', body })).text()).toBe(
      '{"name":"7","items":["a","b"]}',
    );
  });
});

describe('parts', () => {
  const MOCK = {
    id: 'm',
    request: { path: '/' },
    response: {
      json: {
        name: '{{request.parts.avatar.filename}}',
        type: '{{request.parts.avatar.type}}',
        sum: '{{base64 request.parts.avatar.body}}',
        first: '{{request.parts.0.body}}',
        id: '{{request.parts.meta.body.id}}',
        none: '{{request.parts.none.filename}}',
      },
    },
  };

  it('of a form are seen by name and by number', async () => {
    const server = await startHttp([MOCK]);
    const form = new FormData();
    form.append('note', 'hi');
    form.append('avatar', new Blob([Buffer.from([0xff, 0])], { type: 'image/png' }), 'ä b.png');
    form.append('meta', new Blob(['{"id": 7}'], { type: 'application/json' }));
    const answer = await fetch(server.url, { method: 'POST', body: form });
    expect(await answer.json()).toEqual({
      name: 'ä b.png',
      type: 'image/png',
      sum: '/wA=',
      first: 'hi',
      id: 7,
      none: '',
    });
  });

  it('of multipart/related have numbers', async () => {
    const server = await startHttp([MOCK]);
    const body =
      '--x\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n{"title": "a"}\r\n' +
      "--x\r\nContent-Type: image/png\r\nContent-Disposition: attachment;\r\n filename*=UTF-8''%C3%A4.png; name=avatar\r\n\r\nbytes\r\n--x--";
    const headers = { 'content-type': 'multipart/related; boundary=x' };
    const answer = await fetch(server.url, { method: 'POST', body, headers });
    expect(await answer.json()).toMatchObject({
      first: { title: 'a' },
      name: 'ä.png',
      sum: Buffer.from('bytes').toString('base64'),
    });
    const plain = await fetch(server.url, { method: 'POST', body });
    expect(await plain.json()).toMatchObject({ first: '', name: '' });
  });

  itWithTool('python3', 'come from http.client', async () => {
    const server = await startHttp([MOCK]);
    const program = `
import gzip, http.client
c = http.client.HTTPConnection('127.0.0.1', ${server.port})
body = gzip.compress(b'--b\\r\\nContent-Disposition: form-data; name="avatar"; filename="x.bin"\\r\\n\\r\\n\\xff\\r\\n--b--\\r\\n')
c.request('POST', '/', body, {'Content-Type': 'multipart/form-data; boundary=b', 'Content-Encoding': 'gzip'})
print(c.getresponse().read().decode())
`;
    const { out, err } = await runTool('python3', ['-c', program]);
    expect(err).toBe('');
    expect(JSON.parse(out)).toMatchObject({ name: 'x.bin', type: 'text/plain', sum: '/w==' });
  });
});
