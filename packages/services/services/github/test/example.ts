import { useBacklot } from '@backlot/testing';
import { Octokit } from '@octokit/rest';

const backlot = useBacklot({ services: ['github'] });

function connect(): Octokit {
  return new Octokit({ auth: backlot.env.GITHUB_TOKEN, baseUrl: backlot.env.GITHUB_API_URL });
}

export { connect };
