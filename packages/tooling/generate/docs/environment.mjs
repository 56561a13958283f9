import { listServices } from '../services.mjs';
import { GENERATED, formatAs, table } from './markdown.mjs';
import { printProtocols } from './printed.mjs';

const FILE = 'docs/reference/environment.md';

const READ = [
  [
    '`BACKLOT_CONFIG`',
    'all with `--config`',
    'the configuration files and folders, separated as in `PATH`; `--config` wins',
  ],
  [
    '`BACKLOT_SET`, `BACKLOT_SET_...`',
    'all with `--set`',
    'a setting over those of the files, as `--set` has it; further ones in variables whose names begin so',
  ],
  ['`BACKLOT_HOST`', '`start`', 'where everything listens, over the file; `--host` wins'],
  [
    '`BACKLOT_CLUSTER`',
    '`start`',
    'the engine of the cluster, with its password when it wants one; `--cluster` wins',
  ],
  ['`BACKLOT_REPLICA`', '`start`', 'the name of the replica; `--replica` wins'],
  ['`BACKLOT_API_TOKEN`', '`start`, `run`', 'the token that the management API asks for, over the file'],
  ['`BACKLOT_API_TOKEN`', 'clients', 'the token that is sent; `--token` wins'],
  [
    '`BACKLOT_API_TOKEN_FILE`',
    'all',
    'a file with that token, in place of it; `--token` and `--token-file` win',
  ],
  ['`BACKLOT_URL`', 'clients', 'the management API to talk to; `--url` wins'],
  ['`BACKLOT_API_CA`', 'clients', 'a PEM file with the certificate to trust over TLS; `--ca` wins'],
  [
    '`OTEL_EXPORTER_OTLP_ENDPOINT`',
    '`start`, `run`',
    'where spans of mocks are sent; with what else OpenTelemetry says, see [traces](../guides/traces.md)',
  ],
  [
    '`BACKLOT_API_CERT`',
    'clients',
    'a PEM file with the certificate that is shown to the server; `--cert` wins',
  ],
  ['`BACKLOT_API_KEY`', 'clients', 'a PEM file with its private key; `--key` wins'],
  ['`BACKLOT_DEBUG`', 'all', 'when set, an error that nobody expected shows where it was'],
];

const FLAGS = `Every other flag of every command has a variable, which a flag on the command line comes before:

- Flags of \`start\` and \`run\` are called \`BACKLOT_\` and the flag: \`BACKLOT_HTTP_PORT\` is \`--http-port\`, \`BACKLOT_NO_UI\` is \`--no-ui\`. So are
  \`--url\`, \`--insecure\`, \`--json\` and \`--plugin\` of all commands.
- The flags of other commands have the command before them: \`BACKLOT_LOGS_LIMIT\` is \`logs --limit\`, \`BACKLOT_CONNECTIONS_CLOSE_HOW\` is
  \`connections close --how\`.
- A flag without a value takes \`1\` or \`true\`, and \`0\` or \`false\` as if it were not there. An empty variable is none.
- A flag that may be given more than once takes several values with commas between them, or with line breaks where a value has a comma in it.
- The port of a protocol that a plugin brings has a flag and no variable.`;

const OWN = [
  ['`BACKLOT_URL`', 'the url of the management API'],
  ['`BACKLOT_API_TOKEN`', 'its token, when there is one'],
  ['`BACKLOT_CA_FILE`', 'a PEM file with the certificate that was made, when a listener has it'],
  ['`BACKLOT_API_CA`', 'the same file, when the management API has that certificate'],
  [
    '`NODE_EXTRA_CA_CERTS`',
    'a file with that certificate, and with what the variable named before: Node.js trusts it beside the public authorities',
  ],
];

/**
 * The environment variables that the command reads, and those by which programs find its servers.
 *
 * @type {import('../index.mjs').Generator}
 */
export async function generateEnvironment(root) {
  const protocols = await printProtocols(root);
  const rows = protocols.map(({ protocol, title, variables }) => [
    `[${title}](../protocols/${protocol}.md)`,
    code(variables.filter((name) => !/_(HOST|PORT)$/.test(name))),
    code(variables.filter((name) => name.endsWith('_HOST'))),
    code(variables.filter((name) => name.endsWith('_PORT'))),
  ]);
  const sections = [
    GENERATED,
    '# Environment variables',
    '## What the command reads',
    table(['Variable', 'Commands', 'Meaning'], READ),
    FLAGS,
    "Names in a configuration file, as in `${PORT}`, are the file's own.",
    '## What `backlot run` tells its command',
    'For each protocol that is started; `backlot.env` of [`@backlot/testing`](../guides/testing.md#how-the-code-finds-its-services) has the same. The url is a whole one, as in `redis://localhost:6379`; that of Kafka is `host:port`, as clients ask for bootstrap servers. Where two names are given both are set.',
    table(['Protocol', 'Url', 'Host', 'Port'], rows),
    'For each [service](../README.md#services) that is started:',
    table(
      ['Service', 'Variables'],
      listServices(root).map(({ header: { name, title, variables = {} } }) => [
        `[${title}](../services/${name}.md)`,
        code(Object.keys(variables)),
      ]),
    ),
    'And always, or when it applies:',
    table(['Variable', 'Meaning'], OWN),
    "`--env NAME=OWN_NAME` gives a variable a further name, and may be given more than once. The name of a protocol alone stands for its url: `--env KAFKA=MY_BROKERS --env KAFKA_HOST=MY_HOST`. A plugin's protocol has variables of the same form.",
    'What OpenSSL, curl and Python read (`SSL_CERT_FILE`, `CURL_CA_BUNDLE`, `REQUESTS_CA_BUNDLE`) takes the place of all public authorities, so it is not set by itself: `--env BACKLOT_CA_FILE=SSL_CERT_FILE` does.',
  ];
  return { [FILE]: await formatAs(root, FILE, sections.join('\n\n')) };
}

/** @param {readonly string[]} names */
function code(names) {
  return names.map((name) => `\`${name}\``).join(', ');
}
