import { afterEach, describe, expect, it } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { Redis } from 'ioredis';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StatefulSet } from 'kubernetes-models/apps/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Service } from 'kubernetes-models/v1';
import { parse, parseAllDocuments } from 'yaml';
import { makeFolder, startCommand, type StartedServer } from './command.js';
import { ROOT } from './docs/page.js';
import { startNatsEngine } from './nats-engine.js';

const MANIFESTS = join(ROOT, 'deploy/kubernetes/cluster.yaml');
const MODELS = { ConfigMap, Service, StatefulSet, PodDisruptionBudget };

interface Port {
  readonly name: string;
  readonly port: number;
  readonly containerPort: number;
  readonly targetPort: string;
  readonly protocol?: string;
}
interface Container {
  readonly args: readonly string[];
  readonly ports: readonly Port[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly [probe: `${string}Probe`]: { readonly httpGet: { readonly path: string; readonly port: string } };
}
/** As far as these tests look at the objects. */
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data: Readonly<Record<string, string>>;
  readonly spec: {
    readonly serviceName: string;
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: { readonly containers: readonly [Container] };
    };
    readonly ports: readonly Port[];
    readonly selector: object;
  };
}

const manifests = parseAllDocuments(readFileSync(MANIFESTS, 'utf8')).map((each) => each.toJS() as Manifest);
const find = (kind: string): Manifest => manifests.find((each) => each.kind === kind) as Manifest;
const config = find('ConfigMap').data['backlot.yaml'] ?? '';
const set = find('StatefulSet');
const services = manifests.filter(({ kind }) => kind === 'Service');
const [container] = set.spec.template.spec.containers;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Asks until it is there, as a kubelet does. */
async function untilAnswered(url: string): Promise<void> {
  while ((await fetch(url, { headers: { connection: 'close' } })).status !== 200)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('the manifests of a cluster for Kubernetes', () => {
  it('are what the schemas of Kubernetes want', () => {
    for (const manifest of manifests) {
      const Model = MODELS[manifest.kind as keyof typeof MODELS];
      expect(() => new Model(manifest as never).validate()).not.toThrow();
    }
    expect(new Set(manifests.map(({ kind }) => kind))).toEqual(new Set(Object.keys(MODELS)));
    const broken = { ...set, spec: { ...set.spec, replicas: 'three' } };
    expect(() => new StatefulSet(broken as never).validate()).toThrow('replicas');
  });

  it('name ports and labels that are there', () => {
    const { protocols } = parse(config) as { protocols: Record<string, { port: number }> };
    const ports = Object.entries(protocols).map(([kind, { port }]) => [kind, port]);
    expect(container.ports.map(({ name, containerPort }) => [name, containerPort])).toEqual([
      ['management', 9091],
      ...ports,
      ['hand-over', 9099],
    ]);
    expect(container.args).toContain('--hand-over-port=9099');
    expect(services.map(({ metadata }) => metadata.name)).toContain(set.spec.serviceName);
    for (const { spec } of services) {
      expect(spec.selector).toEqual(set.spec.template.metadata.labels);
      for (const { targetPort, protocol } of spec.ports)
        expect(container.ports).toContainEqual(
          expect.objectContaining({ name: targetPort, ...(protocol && { protocol }) }),
        );
    }
  });

  itWithTool('nats-server', 'start replicas that become ready and share what clients store', async () => {
    const folder = makeFolder();
    closers.push(() => folder.remove());
    writeFileSync(join(folder.path, 'backlot.yaml'), config);
    const engine = await startNatsEngine(folder.path);
    closers.push(() => engine.stop());
    const start = async (name: string): Promise<StartedServer> => {
      const pod: Readonly<Record<string, string>> = { POD_NAME: name, POD_IP: '127.0.0.1' };
      const env = Object.fromEntries(
        container.env.flatMap(({ name: key, value }) =>
          value === undefined
            ? []
            : [[key, value.replaceAll(/\$\((\w+)\)/g, (_, from: string) => pod[from] ?? '')]],
        ),
      );
      expect(env['BACKLOT_REPLICA_URL']).toBe('http://127.0.0.1:9091');
      // Two pods have an address each; here the ports are free ones, and the engine another one.
      delete env['BACKLOT_REPLICA_URL'];
      const [, ...args] = container.args.map((arg) => arg.replace('=9099', '=0'));
      const ports = ['--api-port=0', '--http-port=0', '--redis-port=0', '--dns-port=0'];
      const server = await startCommand([...args, ...ports], {
        cwd: folder.path,
        env: { ...env, BACKLOT_CLUSTER: engine.url, BACKLOT_HOST: '127.0.0.1' },
      });
      closers.push(() => server.stop());
      return server;
    };
    const servers = [await start('backlot-0'), await start('backlot-1')];
    for (const { urls } of servers) {
      for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'] as const) {
        const { port, path } = container[probe]?.httpGet ?? {};
        expect(port).toBe('management');
        await untilAnswered(`${urls['api']}${path}`);
      }
    }
    const [writer, reader] = servers.map(({ urls }) => {
      const client = new Redis(urls['redis'] ?? '', { maxRetriesPerRequest: null });
      client.on('error', () => undefined);
      closers.push(() => client.disconnect());
      return client;
    });
    await writer?.set('key', 'value');
    expect(await reader?.get('key')).toBe('value');
  });
});
