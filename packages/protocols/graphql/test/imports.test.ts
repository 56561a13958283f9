import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { collectCleanups, startKind } from '@backlot/conformance';
import { importFile, readImport, type ImportReport, type Json } from '@backlot/core';
import { runAtOnce } from '@backlot/core/plugin';
import { describe, expect, it } from '@jest/globals';
import { importers } from '../src/imports/importers.js';
import { graphql } from '../src/index.js';

const afterThis = collectCleanups();

function convert(name: string, text: string): { block: Json; report: ImportReport } {
  let tree: unknown;
  if (text.startsWith('{')) tree = JSON.parse(text);
  const read = runAtOnce(readImport(importFile({ name, content: text, tree }), importers, { seed: 1 }));
  return { block: read.imported.protocols?.['graphql'] ?? {}, report: read.report };
}

function sample(name: string): string {
  return readFileSync(fileURLToPath(new URL(`samples/${name}`, import.meta.url)), 'utf8');
}

async function ask(block: Json, query: string): Promise<unknown> {
  const { port } = await startKind(graphql, afterThis, block);
  const answer = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return answer.json();
}

describe('imported schemas', () => {
  it('answers operations by the types of SDL', async () => {
    const { block, report } = convert('organizations.graphql', sample('organizations.graphql'));
    expect(report).toMatchObject({ format: 'graphql', taken: { 'graphql sdl': 1 } });
    expect(await ask(block, '{ organization(id: "7") { __typename id } }')).toEqual({
      data: { organization: { __typename: 'Organization', id: expect.any(String) } },
    });
    expect(await ask(block, '{ organization(id: "7") { nothing } }')).toMatchObject({
      errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
    });
  });

  it('answers operations by the types of an introspection', async () => {
    const { block, report } = convert('githunt.json', sample('githunt.json'));
    expect(report).toMatchObject({ format: 'introspection', taken: { 'graphql sdl': 1 } });
    expect(await ask(block, '{ feed(type: HOT, limit: 1) { id postedBy { login } } }')).toEqual({
      data: {
        feed: expect.arrayContaining([{ id: expect.any(Number), postedBy: { login: expect.any(String) } }]),
      },
    });
  });

  it('says where a schema is wrong', () => {
    expect(() => convert('a.graphql', 'type Query {\n  a: Missing\n}\n')).toThrow('Unknown type "Missing"');
    expect(() =>
      convert('a.json', '{"__schema":{"types":[{"kind":"OBJECT","name":"A"}],"queryType":{"name":"A"}}}'),
    ).toThrow('the types do not make a schema');
  });
});
