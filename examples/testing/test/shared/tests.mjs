import assert from 'node:assert/strict';
import { useBacklot } from '@backlot/testing';

/**
 * The same tests for every runner, each as if it were alone at the server: they would fail as soon as they saw anything of another.
 *
 * @param {string} file - which of the files that run side by side
 */
export function testAlone(file) {
  const backlot = useBacklot({ space: true, protocols: ['http', 'redis'] });
  const shared = String(process.env['SHARED_HTTP_URL']);

  for (const number of [1, 2])
    globalThis.it(`${file} ${number} sees nothing of others`, async () => {
      assert.deepEqual(await backlot.state.all(), {});
      assert.deepEqual(await backlot.http.mocks.list(), []);
      const body = `${process.pid} ${file} ${number}`;
      const own = await backlot.http.mock({ id: 'own', request: { path: '/own' }, response: { body } });
      await backlot.state.setAll({ who: body });
      // By a port of its own, and by the one that all share.
      assert.equal(await (await fetch(`${backlot.http.url}/own`)).text(), body);
      assert.equal(await (await fetch(`${shared}/own`, { headers: backlot.headers })).text(), body);
      assert.equal(await own.count, 2);
      assert.equal((await backlot.http.journal()).length, 2);
      assert.deepEqual(await backlot.state.all(), { who: body });
    });
}
