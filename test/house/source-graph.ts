import { readFile, readdir } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { type ParseResult, Visitor, parseSync } from 'oxc-parser';

/** An import of one project file by another. */
export interface Edge {
  /** Path from the root of the repository, like all paths here. */
  readonly to: string;
  readonly how: 'value' | 'type' | 'dynamic';
}

export interface SourceFile {
  readonly path: string;
  readonly imports: readonly Edge[];
  /** The names, as written, of the modules that the file imports from outside the project. */
  readonly packages: readonly string[];
  /** Whether the file exports declarations of another project file. */
  readonly reexports: boolean;
  readonly readsEnvironment: boolean;
}

/** Stands for the target of a dynamic import whose path is computed at run time. */
const COMPUTED = '(computed)';

/** Reads one source file's imports, whatever their form, from its syntax tree. */
export function readSource(path: string, text: string): SourceFile {
  const parsed = parseSync(path, text);
  if (parsed.errors.length > 0) throw new SyntaxError(`Cannot parse ${path}: ${parsed.errors[0]?.message}`);
  const seen = visit(parsed);
  const reexports = parsed.module.staticExports
    .flatMap(({ entries }) => entries)
    .flatMap(({ start, moduleRequest }) => (moduleRequest ? [{ start, to: moduleRequest.value }] : []));
  const found: [string, Edge['how']][] = [
    ...parsed.module.staticImports.map(({ start, moduleRequest }): [string, Edge['how']] => [
      moduleRequest.value,
      /^import\s+type\s/.test(text.slice(start, start + 20)) ? 'type' : 'value',
    ]),
    ...reexports.map(({ to }): [string, Edge['how']] => [to, 'value']),
    ...parsed.module.dynamicImports.flatMap(({ moduleRequest: { start, end } }): [string, Edge['how']][] => {
      const literal = /^(['"`])([^$]*)\1$/.exec(text.slice(start, end))?.[2];
      return [[literal ?? COMPUTED, 'dynamic']];
    }),
    ...seen.typeImports.map((to): [string, Edge['how']] => [to, 'type']),
  ];
  const imports = found
    .filter(([to]) => to.startsWith('.') || to === COMPUTED)
    .map(([to, how]) => ({ to: to === COMPUTED ? to : normalize(join(dirname(path), to)), how }));
  return {
    path,
    imports,
    packages: found.flatMap(([to]) => (to.startsWith('.') || to === COMPUTED ? [] : [to])),
    reexports: reexports.some(({ to }) => to.startsWith('.')),
    readsEnvironment: seen.readsEnvironment,
  };
}

/** Returns all TypeScript and module files below the folders of `root`. */
export async function readSources(root: string, folders: readonly string[]): Promise<readonly SourceFile[]> {
  const lists = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(join(root, folder), { recursive: true }).catch(() => []);
      return names
        .filter((name) => /\.(tsx?|mts|mjs|js)$/.test(name) && !/(^|\/)built/.test(name))
        .map((name) => join(folder, name));
    }),
  );
  return Promise.all(
    lists.flat().map(async (path) => readSource(path, await readFile(join(root, path), 'utf8'))),
  );
}

function visit(parsed: ParseResult): { typeImports: string[]; readsEnvironment: boolean } {
  const seen = { typeImports: [] as string[], readsEnvironment: false };
  new Visitor({
    TSImportType: ({ source }) => void seen.typeImports.push(source.value),
    MemberExpression: ({ object, property }) => {
      const isEnv =
        property.type === 'Identifier'
          ? property.name === 'env'
          : 'value' in property && property.value === 'env';
      if (isEnv && object.type === 'Identifier' && object.name === 'process') seen.readsEnvironment = true;
    },
    ImportDeclaration: ({ source }) => {
      // `import { env } from 'node:process'` would otherwise be missed.
      if (/^(node:)?process$/.test(source.value)) seen.readsEnvironment = true;
    },
  }).visit(parsed.program);
  return seen;
}
