import { useBacklot } from '@backlot/testing';
import OpenAI from 'openai';

const backlot = useBacklot({ services: ['openai'] });

function connect(): OpenAI {
  return new OpenAI({ apiKey: backlot.env.OPENAI_API_KEY, baseURL: backlot.env.OPENAI_BASE_URL });
}

export { connect };
