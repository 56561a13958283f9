import { describeConformance } from '../src/index.js';
import { createEcho, echoProbe } from './echo/echo.js';

describeConformance(createEcho().protocol, echoProbe());
