import { useBacklot } from '@backlot/testing';
import Anthropic from '@anthropic-ai/sdk';

const backlot = useBacklot({ services: ['anthropic'] });

function connect(): Anthropic {
  return new Anthropic({ apiKey: backlot.env.ANTHROPIC_API_KEY, baseURL: backlot.env.ANTHROPIC_BASE_URL });
}

export { connect };
