import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An application behind nginx. */
export interface Proxy {
  readonly url: string;
  close(): Promise<void>;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** The part that Authelia's documentation gives for nginx; the application says who it was told that the user is. */
function configuration(portal: string, port: number): string {
  return `
    daemon off; worker_processes 1; pid nginx.pid; error_log stderr crit;
    events { worker_connections 64; }
    http {
      access_log off;
      client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
      server {
        listen 127.0.0.1:${port};
        location = /internal/authelia/authz {
          internal;
          proxy_pass ${portal}/api/authz/auth-request;
          proxy_set_header X-Original-Method $request_method;
          proxy_set_header X-Original-URL $scheme://$http_host$request_uri;
          proxy_set_header Content-Length "";
          proxy_set_header Connection "";
          proxy_pass_request_body off;
        }
        location / {
          auth_request /internal/authelia/authz;
          auth_request_set $user $upstream_http_remote_user;
          auth_request_set $groups $upstream_http_remote_groups;
          auth_request_set $redirection_url $upstream_http_location;
          error_page 401 =302 $redirection_url;
          default_type text/plain;
          add_header X-User "$user ($groups)";
          try_files /none @application;
        }
        location @application { add_header X-User "$user ($groups)"; return 200 "the application"; }
      }
    }`;
}

/**
 * Starts nginx in front of an application that says `the application` to whom Authelia lets through. It has the host name
 * of the portal, since the cookie is for that.
 */
export async function startNginx(portal: string): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), 'backlot-nginx-'));
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configuration(portal, port));
  const child = spawn('nginx', ['-p', folder, '-c', file, '-e', 'stderr'], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const url = `http://localhost:${port}`;
  while (child.exitCode === null && !(await isUp(url))) await new Promise((resolve) => setImmediate(resolve));
  return {
    url,
    async close() {
      child.kill();
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

async function isUp(url: string): Promise<boolean> {
  return fetch(url, { redirect: 'manual' }).then(
    () => true,
    () => false,
  );
}
