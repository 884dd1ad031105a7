/**
 * A module to load before a program, with an option in the query of its URL: `missing` hides `onnxruntime-node`, and
 * `binding` names the library that replaces the package's own.
 */
import { type ResolveHookSync, registerHooks } from 'node:module';

const wish = new URL(import.meta.url).searchParams;
const binding = wish.get('binding');

const resolve: ResolveHookSync = (name, context, next) => {
  if (wish.has('missing') && name === 'onnxruntime-node') return next(`${name}-that-is-missing`, context);
  if (binding !== null && name.endsWith('onnxruntime_binding.node')) return next(binding, context);
  return next(name, context);
};

registerHooks({ resolve });
