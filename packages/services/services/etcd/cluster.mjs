import { operation } from './store.mjs';

export const members = operation((_request, store) => ({
  members: [
    { ID: store.header.member_id, name: 'backlot', peerURLs: [], clientURLs: ['http://localhost:2379'] },
  ],
}));

export const status = operation((_request, store) => ({
  version: '3.4.23',
  dbSize: 20_480,
  leader: store.header.member_id,
  raftIndex: store.revision,
  raftTerm: 2,
}));
