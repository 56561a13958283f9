import { useBacklot } from '@backlot/testing';

const backlot = useBacklot({ services: ['authelia'] });

const nginx = () => `
  location = /authz {
    internal;
    proxy_pass ${backlot.env.AUTHELIA_URL}/api/authz/auth-request;
    proxy_set_header X-Original-Method $request_method;
    proxy_set_header X-Original-URL $scheme://$http_host$request_uri;
  }`;

export { nginx };
