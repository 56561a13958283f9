import { invalid, type Exporter } from '@backlot/core/plugin';
import type { HttpCase } from '../http/http-case.js';
import { noteRest, noteTemplates } from '../http/note-rest.js';
import { readCases } from '../http/read-cases.js';
import { operationOf } from './operation.js';

/** The methods that a path can have. */
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
/** Those that a mock for any method is written for. */
const USUAL = ['get', 'put', 'post', 'delete', 'patch'];

/** An OpenAPI document of the mocks of HTTP. */
export const openapi: Exporter = {
  format: 'openapi',
  title: 'OpenAPI 3.1',
  contentType: 'application/json',
  extension: '.json',
  *write(source, notes) {
    const paths = new Map<string, Map<string, HttpCase[]>>();
    for (const one of readCases(source, notes)) {
      yield undefined;
      if (one === undefined) continue;
      const { path, method, id } = one;
      if (path.is === 'any' || path.is === 'regex') {
        notes.refused(id, 'a path that is a pattern is none that a document can have; the mock is left out');
        continue;
      }
      const methods = method === undefined ? USUAL : [method.toLowerCase()];
      if (method === undefined)
        notes.approximated(id, `a mock for any method is written for ${USUAL.join(', ')}`);
      if (!methods.every((name) => METHODS.includes(name))) {
        notes.refused(id, `an operation cannot have the method ${method ?? ''}; the mock is left out`);
        continue;
      }
      noteRest(one, notes, []);
      noteTemplates(one, notes);
      notes.written('mocks');
      const operations = paths.get(path.path) ?? new Map<string, HttpCase[]>();
      paths.set(path.path, operations);
      for (const name of methods) operations.set(name, [...(operations.get(name) ?? []), one]);
    }
    if (paths.size === 0) throw invalid('no mock of HTTP has a path that a document can have');
    yield opening(source.version, source.kind('http')?.place?.url ?? '/');
    const ids = new Set<string>();
    let isFirst = true;
    for (const [path, operations] of paths) {
      const item = Object.fromEntries(
        Array.from(operations, ([method, cases]) => {
          const wanted = cases[0]?.id ?? method;
          let id = wanted;
          for (let number = 2; ids.has(id); number += 1) id = `${wanted}-${number}`;
          ids.add(id);
          return [method, operationOf(cases, id, notes)];
        }),
      );
      notes.written('paths');
      yield `${isFirst ? '' : ','}\n${JSON.stringify(path)}: ${JSON.stringify(item, null, 2)}`;
      isFirst = false;
    }
    yield '\n}}\n';
  },
};

function opening(version: string, url: string): string {
  const head = {
    openapi: '3.1.0',
    info: { title: 'Mocks of Backlot', version },
    servers: [{ url }],
  };
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "paths": {`;
}
