import { Type, type ValueOf } from '@backlot/core/plugin';

/** A host name, an address, `*.` before a name for all below it, or `*` for every host. */
const HostsSchema = (description: string, examples: string[]) =>
  Type.Optional(
    Type.Array(Type.String({ pattern: '^(\\*|(\\*\\.)?[^/\\s*@]+)$', maxLength: 255 }), {
      maxItems: 1000,
      description,
      examples,
    }),
  );

/** What the listener does as a proxy. */
export const ProxySchema = Type.Object(
  {
    hosts: HostsSchema(
      'The hosts whose requests are answered here, by mocks and by what `upstream` says; those of CONNECT with a certificate that is made for them. `*.` stands for any name below one, `*` for every host, as it is when absent.',
      ['api.stripe.com', '*.amazonaws.com'],
    ),
    tunnel: HostsSchema(
      'The hosts whose requests go to them as they are, unseen. Where both lists have a host, the longer name counts. What is in none is refused with 403.',
      ['fonts.example.com', '*'],
    ),
    servers: Type.Optional(
      Type.Record(
        Type.String({ minLength: 1, maxLength: 255 }),
        Type.String({ minLength: 1, maxLength: 2048 }),
        {
          maxProperties: 1000,
          description:
            'Urls of the real servers of hosts, where these are not the hosts themselves, for what `upstream` asks them.',
          examples: [{ 'api.example.com': 'https://staging.example.com' }],
        },
      ),
    ),
    auth: Type.Optional(
      Type.Object(
        {
          username: Type.String({ minLength: 1, description: 'The user name.' }),
          password: Type.String({ description: 'The password.' }),
        },
        {
          additionalProperties: false,
          description:
            'Who may use the proxy, by Basic authentication (`Proxy-Authorization`). Anybody when absent.',
        },
      ),
    ),
  },
  {
    additionalProperties: false,
    description:
      'Makes the listener a proxy as well, for clients with `HTTP_PROXY` and `HTTPS_PROXY`: it takes requests with whole urls, and CONNECT.',
  },
);

/** See {@link ProxySchema}. */
export type ProxySettings = ValueOf<typeof ProxySchema>;
