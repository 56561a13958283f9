import { anchor } from './markdown.mjs';
import { schemaPrefix } from './printed.mjs';

/** @import { Operation } from './management-api.mjs' */
/** @import { InstalledProtocol } from './printed.mjs' */
/** @import { Schema } from './schema-rows.mjs' */

/**
 * @typedef {{ path: string, method: string, operation: Operation }} Route
 *
 * @typedef {object} ApiPage
 * @property {string} name of its file, without the extension
 * @property {string} title
 * @property {boolean} isProtocol whether it is that of a protocol, whose kind is its name
 * @property {readonly { tag: string, routes: readonly Route[] }[]} sections
 */

/** The page of the schemas that several pages use. */
export const SHARED = 'types';

/**
 * Divides the routes among pages: those of one protocol are on its page, all others on that of their tag.
 *
 * @param {readonly Route[]} routes
 * @param {readonly string[]} tags in their order
 * @param {readonly InstalledProtocol[]} protocols
 * @returns {readonly ApiPage[]} the protocols first
 */
export function divideRoutes(routes, tags, protocols) {
  const kinds = kindsOf(routes, protocols);
  /** @param {string | undefined} kind @param {readonly string[]} of */
  const sectionsOf = (kind, of) =>
    of
      .map((tag) => ({
        tag,
        routes: routes.filter((route) => kinds.get(route) === kind && route.operation.tags.includes(tag)),
      }))
      .filter(({ routes: own }) => own.length > 0);
  const own = protocols.map(({ protocol, title }) => ({
    name: protocol,
    title,
    isProtocol: true,
    sections: sectionsOf(protocol, tags),
  }));
  const others = tags.map((tag) => ({
    name: anchor(tag),
    title: tag,
    isProtocol: false,
    sections: sectionsOf(undefined, [tag]),
  }));
  return [...own, ...others.filter(({ sections }) => sections.length > 0)];
}

/**
 * The protocol that a route is of alone: its path names the kind, or begins like one that answers that kind's messages.
 *
 * @param {readonly Route[]} routes
 * @param {readonly InstalledProtocol[]} protocols
 * @returns {ReadonlyMap<Route, string | undefined>}
 */
function kindsOf(routes, protocols) {
  /** @param {Route} route */
  const beginning = ({ path }) => path.split('/', 3).join('/');
  const captured = new Map(
    protocols.flatMap(({ protocol }) =>
      routes
        .filter(({ operation }) => namesIn(operation).has(`${schemaPrefix(protocol)}Message`))
        .map((route) => [beginning(route), protocol]),
    ),
  );
  const kinds = new Set(protocols.map(({ protocol }) => protocol));
  return new Map(
    routes.map((route) => [
      route,
      route.path.split('/').find((step) => kinds.has(step)) ?? captured.get(beginning(route)),
    ]),
  );
}

/**
 * @param {readonly ApiPage[]} pages
 * @param {Record<string, Schema>} schemas
 * @param {ReadonlyMap<string, string>} elsewhere schemas that other pages describe, with what they hold
 * @returns {ReadonlyMap<string, string>} the name of the page that describes a schema: the one that uses it, or {@link SHARED}
 */
export function placeSchemas(pages, schemas, elsewhere) {
  /** @type {Map<string, string>} */
  const places = new Map();
  for (const { name, sections } of pages) {
    const reached = new Set();
    const waiting = [...namesIn(sections)];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (reached.has(next) || elsewhere.has(next)) continue;
      reached.add(next);
      waiting.push(...namesIn(schemas[next]));
    }
    for (const schema of reached) places.set(schema, places.has(schema) ? SHARED : name);
  }
  return places;
}

/**
 * @param {unknown} value a part of the document
 * @returns {Set<string>} the schemas that it refers to
 */
function namesIn(value) {
  const references = JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/([^"/]+)"/g);
  return new Set([...references].map(([, name]) => name ?? ''));
}
