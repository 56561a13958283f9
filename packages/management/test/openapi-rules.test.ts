import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

const WHOLE = fileURLToPath(new URL('../../../docs/reference/openapi.json', import.meta.url));

it('the document of all protocols passes the recommended rules of Redocly', async () => {
  const source = readFileSync(WHOLE, 'utf8');
  const config = await createConfig({ extends: ['recommended'] });
  const lint = async (text: string): Promise<string[]> =>
    (await lintFromString({ source: text, absoluteRef: WHOLE, config })).map(
      ({ ruleId, message, location: [at] }) => `${ruleId} ${at?.pointer ?? ''}: ${message}`,
    );
  expect(await lint(source)).toEqual([]);
  const broken = {
    openapi: '3.1.0',
    info: { title: 'x', version: '1' },
    paths: { '/a/{id}': { get: { responses: {} } } },
  };
  expect(await lint(JSON.stringify(broken))).toContainEqual(
    expect.stringContaining('path-parameters-defined'),
  );
});

it('the document of some protocols passes the recommended rules of Spectral', async () => {
  // Those of all take twenty seconds, and routes of all protocols are made by the same code.
  const { call } = await start();
  const { body } = await call('GET', '/api/openapi.json');
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[rulesets.oas as never, 'recommended']] });
  const lint = async (document: object): Promise<string[]> =>
    (await linter.run(document as Record<string, unknown>))
      // A schema with members that are called `schema` and `examples` is taken for a media type.
      .filter(({ code, path }) => code !== 'oas3-valid-media-example' || !path.includes('properties'))
      .map(({ code, message, path }) => `${code} ${path.join('/')}: ${message}`);
  expect(await lint(body)).toEqual([]);
  expect(await lint({ openapi: '3.1.0', info: { title: 'x', version: '1' }, paths: {} })).not.toEqual([]);
});
