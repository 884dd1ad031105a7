import { defineSuite } from './define-suite.ts';
import { type ConformanceOptions, VARIABLE } from './options.ts';
import { openTarget } from './target.ts';

/** The suite against the service that the command line names; see `run.ts`. */
const options = JSON.parse(process.env[VARIABLE] ?? '') as ConformanceOptions;
const target = openTarget(options);

defineSuite(() => target, options);
