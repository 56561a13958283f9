import { extname } from 'node:path';
import { BodyFileError, listBodyFiles } from './body-files.js';
import { pointTo, splitPointer } from './pointer.js';

/** A problem at a JSON pointer. */
export interface PointedProblem {
  readonly path: string;
  readonly message: string;
}

/** What {@link expandFolders} makes. */
export interface Expanded {
  /** The blocks of the protocols; lists in which nothing was expanded are the ones given. */
  readonly protocols: Readonly<Record<string, unknown>>;
  readonly problems: readonly PointedProblem[];
  /** Where a pointer into the expanded blocks stands in the file. */
  origin(pointer: string): string;
}

type Item = Readonly<Record<string, unknown>>;

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['.avif', 'image/avif'],
  ['.css', 'text/css; charset=utf-8'],
  ['.csv', 'text/csv; charset=utf-8'],
  ['.gif', 'image/gif'],
  ['.htm', 'text/html; charset=utf-8'],
  ['.html', 'text/html; charset=utf-8'],
  ['.ico', 'image/x-icon'],
  ['.jpeg', 'image/jpeg'],
  ['.jpg', 'image/jpeg'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json'],
  ['.mjs', 'text/javascript; charset=utf-8'],
  ['.mp3', 'audio/mpeg'],
  ['.mp4', 'video/mp4'],
  ['.pdf', 'application/pdf'],
  ['.png', 'image/png'],
  ['.svg', 'image/svg+xml'],
  ['.ttf', 'font/ttf'],
  ['.txt', 'text/plain; charset=utf-8'],
  ['.wasm', 'application/wasm'],
  ['.webp', 'image/webp'],
  ['.woff', 'font/woff'],
  ['.woff2', 'font/woff2'],
  ['.xml', 'application/xml'],
  ['.yaml', 'application/yaml'],
  ['.yml', 'application/yaml'],
  ['.zip', 'application/zip'],
]);

/**
 * Replaces each mock whose response has `body: {dir: FOLDER}` by one mock for each file of the folder. Such a mock's
 * `request.path` ends in `/*`, and the rest of the path names the file; `index.html` answers for its folder as well.
 *
 * @param folder - the configuration's folder
 */
export function expandFolders(protocols: Readonly<Record<string, unknown>>, folder: string): Expanded {
  const problems: PointedProblem[] = [];
  const origins = new Map<string, number[]>();
  const blocks: [string, unknown][] = Object.entries(protocols).map(([kind, block]) => {
    if (!isObject(block)) return [kind, block];
    const fields = Object.entries(block).map(([name, list]): [string, unknown] => {
      if (!Array.isArray(list) || !list.some((item) => folderOf(item) !== undefined)) return [name, list];
      const pointer = pointTo(pointTo('/protocols', kind), name);
      return [name, expandList(list, pointer)];
    });
    return [kind, Object.fromEntries(fields)];
  });
  return {
    protocols: Object.fromEntries(blocks),
    problems,
    origin(pointer) {
      const [, kind = '', name = '', index = '', ...rest] = splitPointer(pointer);
      const list = pointTo(pointTo('/protocols', kind), name);
      const place = pointer.startsWith(`${list}/`) ? origins.get(list)?.[Number(index)] : undefined;
      return place === undefined ? pointer : rest.reduce(pointTo, pointTo(list, place));
    },
  };

  function expandList(list: readonly unknown[], pointer: string): unknown[] {
    const places: number[] = [];
    const expanded = list.flatMap((item: unknown, index) => {
      const items = expandItem(item, pointTo(pointer, index));
      places.push(...items.map(() => index));
      return items;
    });
    origins.set(pointer, places);
    return expanded;
  }

  function expandItem(item: unknown, pointer: string): unknown[] {
    const name = folderOf(item);
    if (name === undefined || !isObject(item)) return [item];
    const request = isObject(item['request']) ? item['request'] : {};
    const path = request['path'];
    if (typeof path !== 'string' || !path.endsWith('/*')) {
      problems.push({
        path: `${pointer}/response/body`,
        message: 'a body from a folder needs a "request.path" that ends in /*, whose rest names the file',
      });
      return [];
    }
    try {
      return listBodyFiles(folder, name).flatMap((listed) => {
        const exact = path.slice(0, -1) + listed.name.replaceAll('*', '\\*');
        const own = itemFor(item, request, listed.name, exact, listed.file);
        if (!/(?:^|\/)index\.html?$/.test(listed.name)) return [own];
        return [
          own,
          itemFor(
            item,
            request,
            `${listed.name} (folder)`,
            exact.slice(0, exact.lastIndexOf('/') + 1),
            listed.file,
          ),
        ];
      });
    } catch (error) {
      if (!(error instanceof BodyFileError)) throw error;
      problems.push({ path: `${pointer}/response/body/dir`, message: error.message });
      return [];
    }
  }
}

function itemFor(item: Item, request: Item, name: string, path: string, file: string): Item {
  const response = item['response'] as Item;
  const headers = isObject(response['headers']) ? response['headers'] : {};
  // The type of others is told by what they hold.
  const type = CONTENT_TYPES.get(extname(file).toLowerCase());
  const isTyped = Object.keys(headers).some((header) => header.toLowerCase() === 'content-type');
  return {
    ...item,
    ...(typeof item['id'] === 'string' ? { id: `${item['id']}/${name}` } : {}),
    request: { ...request, path },
    response: {
      ...response,
      headers: isTyped || type === undefined ? headers : { ...headers, 'content-type': type },
      body: { file },
    },
  };
}

function folderOf(item: unknown): string | undefined {
  if (!isObject(item) || !isObject(item['response'])) return undefined;
  const body = item['response']['body'];
  if (!isObject(body) || typeof body['dir'] !== 'string' || Object.keys(body).length !== 1) return undefined;
  return body['dir'];
}

function isObject(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
