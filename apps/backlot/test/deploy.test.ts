import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { ConfigMap, Service } from 'kubernetes-models/v1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { parse, parseAllDocuments } from 'yaml';
import { makeFolder, startCommand, type StartedServer } from './command.js';
import { ROOT } from './docs/page.js';

const MANIFESTS = join(ROOT, 'deploy/kubernetes/backlot.yaml');
const UNIT = join(ROOT, 'deploy/systemd/backlot.service');
interface Container {
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly object[];
  readonly [probe: `${string}Probe`]: { readonly httpGet: { readonly path: string; readonly port: string } };
}
/** As far as these tests look at the three objects. */
interface Manifest {
  readonly kind: string;
  readonly data: Readonly<Record<string, string>>;
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: { readonly containers: readonly [Container] };
    };
    readonly ports: readonly { readonly port: number; readonly targetPort: string }[];
    readonly selector: object;
  };
}
const manifests = parseAllDocuments(readFileSync(MANIFESTS, 'utf8')).map((each) => each.toJS() as Manifest);
const [configMap, deployment, service] = manifests as [Manifest, Manifest, Manifest];
const config = configMap.data['backlot.yaml'] ?? '';
const [container] = deployment.spec.template.spec.containers;

describe('the manifests for Kubernetes', () => {
  let folder: ReturnType<typeof makeFolder>;
  let server: StartedServer;
  beforeAll(async () => {
    folder = makeFolder();
    writeFileSync(join(folder.path, 'backlot.yaml'), config);
    const ports = ['--api-port=0', '--http-port=0', '--redis-port=0', '--kubernetes-port=0'];
    server = await startCommand(['--service=kubernetes', ...ports], { cwd: folder.path });
  }, 30_000);
  afterAll(async () => {
    await server?.stop();
    folder.remove();
  });

  it('are what the schemas of Kubernetes want', () => {
    const models = { ConfigMap, Deployment, Service };
    expect(manifests.map(({ kind }) => kind)).toEqual(Object.keys(models));
    for (const manifest of manifests) {
      const Model = models[manifest.kind as keyof typeof models];
      expect(() => new Model(manifest as never).validate()).not.toThrow();
    }
    const broken = { ...deployment, spec: { ...deployment.spec, replicas: 'one' } };
    expect(() => new Deployment(broken as never).validate()).toThrow('replicas');
  });

  it('name ports, files and labels that are there', () => {
    const { api, protocols } = parse(config) as { api: object; protocols: Record<string, { port: number }> };
    expect(api).toBeDefined();
    const wanted = [
      ['management', 9091],
      ...Object.entries(protocols).map(([kind, { port }]) => [kind, port]),
    ];
    expect(container.ports.map(({ name, containerPort }) => [name, containerPort])).toEqual(wanted);
    expect(service.spec.ports.map(({ port, targetPort }) => [targetPort, port])).toEqual(wanted);
    expect(container.volumeMounts).toEqual([{ name: 'config', mountPath: '/config', readOnly: true }]);
    expect(service.spec.selector).toEqual(deployment.spec.template.metadata.labels);
  });

  it('have probes that are answered as a kubelet asks, and names by which pods ask', async () => {
    const port = Number(new URL(server.urls['api'] ?? '').port);
    const ask = (path: string, host: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        request({ port, path, headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on('error', reject)
          .end();
      });
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'] as const) {
      const { port: name, path = '' } = container[probe]?.httpGet ?? {};
      expect(name).toBe('management');
      expect(await ask(path, '10.244.0.7:9091')).toBe(200);
    }
    for (const host of ['backlot:9091', 'backlot.default.svc:9091', 'backlot.default.svc.cluster.local:9091'])
      expect([host, await ask('/api/protocols', host)]).toEqual([host, 200]);
    expect(await ask('/api/protocols', 'backlot.example.com:9091')).toBe(403);
  });

  itWithTool('kubectl', 'are applied by kubectl, as those of a cluster are', async () => {
    const apply = async (file: string): Promise<readonly string[]> => {
      const args = ['--server', server.urls['kubernetes'] ?? '', '--token', 'backlot'];
      const { out, err } = await runTool('kubectl', [...args, 'apply', '--server-side', '-f', file], {
        env: { KUBECONFIG: '/dev/null', HOME: folder.path },
      });
      expect(err).toBe('');
      return out.trimEnd().split('\n');
    };
    expect(await apply(MANIFESTS)).toEqual([
      'configmap/backlot serverside-applied',
      'deployment.apps/backlot serverside-applied',
      'service/backlot serverside-applied',
    ]);
    expect(await apply(join(ROOT, 'deploy/kubernetes/cluster.yaml'))).toEqual([
      'configmap/backlot serverside-applied',
      'service/backlot serverside-applied',
      'service/backlot-udp serverside-applied',
      'service/backlot-replicas serverside-applied',
      'statefulset.apps/backlot serverside-applied',
      'poddisruptionbudget.policy/backlot serverside-applied',
    ]);
  });
});

describe('the unit for systemd', () => {
  itWithTool('systemd-analyze', 'is one, and opens little', async () => {
    // Its manual is not looked for, which a small system leaves out.
    const verify = ['verify', '--man=no', UNIT];
    expect(await runTool('systemd-analyze', verify)).toEqual({ code: 0, out: '', err: '' });
    const { out, err } = await runTool('systemd-analyze', ['security', '--offline=true', '--no-pager', UNIT]);
    const level = /exposure level for backlot\.service: ([\d.]+)/.exec(out + err)?.[1];
    expect(Number(level)).toBeLessThan(3);
  });
});
