import { parseLevel } from './compatibility.js';
import { REGISTRY_ERRORS } from './registry-error.js';
import type { RegistryRoute } from './registry-route.js';
import { GLOBAL } from './registry-store.js';

const MODES = ['READWRITE', 'READONLY', 'READONLY_OVERRIDE', 'IMPORT'];

/** The settings of the registry and of subjects: compatibility and mode. */
export const SETTING_ROUTES: readonly RegistryRoute[] = [
  ['GET', '/config', (_request, registry) => ({ compatibilityLevel: registry.levelOf(GLOBAL) })],
  ['GET', '/mode', (_request, registry) => ({ mode: registry.modeOf(GLOBAL) })],
  [
    'GET',
    '/config/{subject}',
    ({ path: { subject = '' }, query }, registry) => {
      const level = registry.store.levels.get(subject);
      if (level === undefined && query.get('defaultToGlobal') !== 'true') {
        throw REGISTRY_ERRORS.levelNotConfigured(subject);
      }
      return { compatibilityLevel: registry.levelOf(subject) };
    },
  ],
  [
    'GET',
    '/mode/{subject}',
    ({ path: { subject = '' }, query }, registry) => {
      const mode = registry.store.modes.get(subject);
      if (mode === undefined && query.get('defaultToGlobal') !== 'true') {
        throw REGISTRY_ERRORS.modeNotConfigured(subject);
      }
      return { mode: registry.modeOf(subject) };
    },
  ],
  ...['/config', '/config/{subject}'].flatMap((path): readonly RegistryRoute[] => [
    [
      'PUT',
      path,
      ({ path: { subject = GLOBAL }, body }, registry) => {
        const level = parseLevel(body['compatibility']);
        if (level === undefined) throw REGISTRY_ERRORS.invalidLevel();
        registry.checkWritable(subject);
        registry.store.levels.set(subject, level);
        return { compatibility: level };
      },
    ],
    [
      'DELETE',
      path,
      ({ path: { subject = GLOBAL } }, registry) => {
        const level = registry.store.levels.get(subject);
        if (level === undefined && subject !== GLOBAL) throw REGISTRY_ERRORS.subjectNotFound(subject);
        registry.checkWritable(subject);
        const compatibilityLevel = registry.levelOf(subject);
        registry.store.levels.delete(subject);
        return { compatibilityLevel };
      },
    ],
  ]),
  ...['/mode', '/mode/{subject}'].flatMap((path): readonly RegistryRoute[] => [
    [
      'PUT',
      path,
      ({ path: { subject = GLOBAL }, query, body }, registry) => {
        const mode = String(body['mode']).toUpperCase();
        if (!MODES.includes(mode)) throw REGISTRY_ERRORS.invalidMode();
        const hasSchemas = registry.store
          .subjects(false)
          .some((each) => subject === GLOBAL || each === subject);
        if (mode === 'IMPORT' && hasSchemas && query.get('force') !== 'true') {
          throw REGISTRY_ERRORS.notPermitted('Cannot import since found existing subjects');
        }
        registry.store.modes.set(subject, mode);
        return { mode };
      },
    ],
    [
      'DELETE',
      path,
      ({ path: { subject = GLOBAL } }, registry) => {
        const mode = registry.modeOf(subject);
        if (!registry.store.modes.delete(subject) && subject !== GLOBAL) {
          throw REGISTRY_ERRORS.subjectNotFound(subject);
        }
        return { mode };
      },
    ],
  ]),
];
