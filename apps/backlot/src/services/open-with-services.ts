import type { OpenedConfig } from '../config/open.js';
import type { PointedProblem } from '../config/expand-folders.js';
import type { ConfigProblem } from '../config/problem.js';
import { dottedPath, placeOf } from '../config/source.js';
import { mergeServices } from './merge.js';
import { originOf, type Origin } from './origins.js';
import { readWanted, type ServiceFlags, type WantedService } from './wanted.js';

/** A configuration file with its services in it. */
export interface OpenedWithServices {
  readonly opened: OpenedConfig;
  readonly services: readonly WantedService[];
}

/**
 * Puts the services that a file and flags name into the file.
 *
 * @throws CommandError for a flag that names no service; ConfigError for a `service.yaml` that is wrong
 */
export function openWithServices(opened: OpenedConfig, flags: ServiceFlags): OpenedWithServices {
  const { root } = opened;
  const wanted = readWanted(root['services'], (pointer) => opened.folderOf(pointer), flags);
  const merged = mergeServices(root, wanted.services);
  const found = [...wanted.problems, ...merged.problems].flatMap((problem) => opened.locate(problem) ?? []);
  const of = (pointer: string): Origin | undefined => originOf(merged.origins, pointer);
  return {
    services: wanted.services,
    opened: {
      ...opened,
      root: merged.root,
      problems: [...opened.problems, ...found],
      locate(problem) {
        const origin = of(problem.path);
        if (origin === undefined) return opened.locate(problem);
        if ('file' in origin) return opened.locate({ ...problem, path: origin.file });
        return locateInService(opened, origin, problem);
      },
      isReplaced(pointer) {
        const origin = of(pointer);
        if (origin !== undefined && !('file' in origin)) return false;
        return opened.isReplaced(origin?.file ?? pointer);
      },
      textOf(pointer, value) {
        const origin = of(pointer);
        if (origin !== undefined && !('file' in origin)) return String(value);
        return opened.textOf(origin?.file ?? pointer, value);
      },
      folderOf(pointer) {
        const origin = of(pointer);
        if (origin !== undefined && !('file' in origin)) return origin.service.definition.folder;
        return opened.folderOf(origin?.file ?? pointer);
      },
      isTested(pointer) {
        const origin = of(pointer);
        return origin !== undefined && !('file' in origin) && origin.service.isOwn;
      },
    },
  };
}

/** A problem of a part that is the service's own: the file names the service, and the message says where in it. */
function locateInService(
  opened: OpenedConfig,
  { service, pointer }: Extract<Origin, { readonly service: WantedService }>,
  { message }: PointedProblem,
): ConfigProblem | undefined {
  const { source, header, folder } = service.definition;
  const place = placeOf(source, pointer);
  const where = place === undefined ? '' : `:${place.line}:${place.column}`;
  const inside = `${folder}/${source.file}${where}: ${dottedPath(source, pointer)}: ${message}`;
  return opened.locate({ path: service.at ?? '/services', message: `service "${header.name}": ${inside}` });
}
