import { afterEach, describe, expect, it } from '@jest/globals';
import { start, stopAll, type Management } from './support/start.js';

afterEach(stopAll);

const NOTES = [
  { id: 'a', text: 'apple' },
  { id: 'b/c', text: 'pear' },
  { id: 'd', text: 'apricot' },
];

async function startWithNotes(): Promise<Management> {
  const management = await start();
  const made = await management.call('POST', '/api/echo/data/notes', NOTES);
  expect([made.status, made.body]).toEqual([201, NOTES]);
  return management;
}

describe('data', () => {
  it('is listed by section, by entry and by pages, and filtered by every field', async () => {
    const { call } = await startWithNotes();
    expect((await call('GET', '/api/echo/data')).body).toEqual([
      { section: 'notes', noun: 'note', summary: 'The notes.', entries: 3 },
      { section: 'lines', noun: 'line', summary: 'Lines that were published.', entries: 0 },
    ]);
    expect((await call('GET', '/api/echo/data/notes')).body).toEqual(NOTES);
    expect((await call('GET', '/api/echo/data/notes/b%2Fc')).body).toEqual(NOTES[1]);
    expect((await call('GET', '/api/echo/data/notes?text=ap*')).body).toEqual([NOTES[0], NOTES[2]]);
    expect((await call('GET', '/api/echo/data/notes?text=ap*&after=a&limit=1')).body).toEqual([NOTES[2]]);
    const missing = await call('GET', '/api/echo/data/notes/nobody');
    expect([missing.status, missing.body.error]).toEqual([404, 'no note "nobody"']);
    expect((await call('GET', '/api/echo/data/nothing')).status).toBe(404);
    expect((await call('GET', '/api/echo/data/notes?colour=red')).status).toBe(400);
  });

  it('is made, replaced and removed, and refused with the place of what is wrong', async () => {
    const { call } = await startWithNotes();
    const one = await call('POST', '/api/echo/data/notes', { id: 'e', text: 'elder' });
    expect([one.status, one.body]).toEqual([201, { id: 'e', text: 'elder' }]);
    const put = await call('PUT', '/api/echo/data/notes/a', { text: 'avocado' });
    expect([put.status, put.body]).toEqual([200, { id: 'a', text: 'avocado' }]);
    const removed = await call('DELETE', '/api/echo/data/notes/a');
    expect([removed.status, removed.body]).toEqual([200, { status: 'deleted', deleted: 'a' }]);
    expect((await call('DELETE', '/api/echo/data/notes/a')).status).toBe(404);
    for (const body of [null, 7, 'text', { id: 'x' }, { id: 'x', text: 'y', more: 1 }, []])
      expect((await call('POST', '/api/echo/data/notes', body)).status).toBe(400);
    const list = await call('POST', '/api/echo/data/notes', [
      { id: 'f', text: 'fig' },
      { id: 'g', text: 'bad' },
    ]);
    expect([list.status, list.body.error, list.body.details]).toEqual([
      400,
      'item 1 of the list: no bad notes; those before it, 1, were taken',
      [{ path: '/1/text', message: 'is bad' }],
    ]);
    expect((await call('GET', '/api/echo/data/notes/f')).body).toEqual({ id: 'f', text: 'fig' });
    expect((await call('DELETE', '/api/echo/data/lines/0')).status).toBe(405);
    expect((await call('POST', '/api/echo/data/lines', {})).status).toBe(405);
  });

  it('is waited for, for entries that come and for none that are left', async () => {
    const { call, host } = await startWithNotes();
    const waiting = call('POST', '/api/echo/data/notes/wait', {
      where: { text: { any_of: ['plum', 'apple'] } },
      count: 2,
    });
    await call('POST', '/api/echo/data/notes', { id: 'p', text: 'plum' });
    expect((await waiting).body).toEqual([NOTES[0], { id: 'p', text: 'plum' }]);
    const gone = call('POST', '/api/echo/data/notes/wait', { where: { id: 'p' }, count: 0 });
    await host.kind('echo').data.remove('notes', 'p');
    expect([(await gone).status, (await gone).body]).toEqual([200, []]);
    const late = await call('POST', '/api/echo/data/notes/wait', {
      where: { text: 'melon' },
      timeout: '10ms',
    });
    expect([late.status, late.body.want, late.body.got]).toEqual([408, 1, 0]);
    expect((await call('POST', '/api/echo/data/notes/wait', { where: { colour: 'red' } })).status).toBe(400);
  });

  it('is published without a trace in the journal', async () => {
    const { call, host } = await start();
    const sent = await call('POST', '/api/echo/messages', { text: 'hello' });
    expect([sent.status, sent.body]).toEqual([200, { count: 1 }]);
    const two = await call('POST', '/api/echo/messages', [{ text: 'a' }, { text: 'b' }]);
    expect(two.body).toEqual([{ count: 2 }, { count: 3 }]);
    expect((await call('GET', '/api/echo/data/lines')).body).toHaveLength(3);
    expect(host.journal.list()).toEqual([]);
    expect((await call('POST', '/api/echo/messages', { text: '' })).status).toBe(400);
    expect((await call('POST', '/api/echo/messages')).status).toBe(400);
  });

  it('is what a kind has that declares it, and not there while the kind is not enabled', async () => {
    const { call } = await start({}, { settings: { echo: { enabled: false } } });
    expect((await call('GET', '/api/echo/data')).status).toBe(503);
    expect((await call('GET', '/api/echo/data/notes')).status).toBe(503);
    expect((await call('POST', '/api/echo/data/notes', { id: 'a', text: 'b' })).status).toBe(503);
    expect((await call('POST', '/api/echo/messages', { text: 'a' })).status).toBe(503);
    expect((await call('GET', '/api/plain/data')).status).toBe(404);
  });
});
