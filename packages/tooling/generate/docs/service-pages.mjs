import { listServices } from '../services.mjs';
import { GENERATED, formatAs, table } from './markdown.mjs';

/**
 * A page for each service: its README, and what its file says.
 *
 * @type {import('../index.mjs').Generator}
 */
export async function generateServicePages(root) {
  /** @type {Record<string, string>} */
  const files = {};
  for (const service of listServices(root)) {
    const path = `docs/services/${service.header.name}.md`;
    files[path] = await formatAs(root, path, pageOf(service));
  }
  return files;
}

/** @param {import('../services.mjs').ListedService} service */
function pageOf({ header, scenarios, mocks, readme }) {
  const { name, path, hosts = [], port, variables = {} } = header;
  const places = [
    ...(mocks.every(({ method }) => method === 'gRPC') ? [] : [`below \`${path}\` on the port of HTTP`]),
    ...(mocks.some(({ method }) => method === 'gRPC') ? ['on the port of gRPC'] : []),
    ...hosts.map((host) => `under the host name \`${host}\` on that port`),
    ...(port === undefined
      ? []
      : [`on a port of its own, ${port} unless \`services.${name}.port\` says another`]),
  ];
  return [
    GENERATED,
    readme.trim(),
    '## Where it is',
    `It answers ${places.join(', and ')}. \`backlot run --service ${name}\` sets:`,
    table(
      ['Variable', 'Value'],
      Object.entries(variables).map(([variable, value]) => [`\`${variable}\``, `\`${value}\``]),
    ),
    ...(scenarios.length === 0
      ? []
      : [
          '## Scenarios',
          `They are switched by \`backlot scenario activate ${name}:NAME\`, in tests by \`backlot.scenarios.activate\`, and from the start by \`scenarios\` of the service.`,
          table(
            ['Scenario', 'What it does'],
            scenarios.map(({ id, description = '' }) => [`\`${id}\``, description]),
          ),
        ]),
    '## Mocks',
    'Each may be replaced by one with the same id under `mocks` of the service.',
    table(
      ['Mock', 'Request'],
      mocks.map(({ id, method, path: own }) => [`\`${id}\``, `\`${method} ${own}\``]),
    ),
  ].join('\n\n');
}
