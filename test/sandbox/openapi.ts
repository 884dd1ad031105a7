import { existsSync, readFileSync } from 'node:fs';
import { type ErrorObject, type ValidateFunction, Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import type { Exchange } from '../../src/sandbox/rest-exchange.ts';
import { requestAllowances, responseAllowances } from './openapi-allowances.ts';

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
  readonly responses: Readonly<Record<string, Json>>;
}

type Operations = Readonly<Record<string, Operation>>;

interface Template {
  readonly template: string;
  readonly operations: Operations;
  readonly pattern: RegExp;
}

interface Description {
  readonly paths: Readonly<Record<string, Operations>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> } & Json;
}

const FILE = new URL('../../../shared/discord/openapi.json', import.meta.url);

/** Whether Discord's description is available. */
export const hasDescription: boolean = existsSync(FILE);

const MISMATCHES_SHOWN = 6;

/** Checks the requests and responses of REST exchanges against Discord's own OpenAPI description. */
export class DescriptionCheck {
  readonly #description: Description;
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<string, ValidateFunction>();
  /** The path templates, the most specific first. */
  readonly #templates: readonly Template[];
  readonly #branchesOf = new WeakMap<Json, readonly Json[]>();

  constructor() {
    this.#description = JSON.parse(readFileSync(FILE, 'utf8')) as Description;
    this.#templates = Object.entries(this.#description.paths)
      .map(([template, operations]) => ({ template, operations, pattern: templatePattern(template) }))
      .sort((a, b) => a.template.split('{').length - b.template.split('{').length);
    this.#ajv = new Ajv2020({
      strict: false,
      logger: false,
      // Compiling takes most of the time; these three options make it three times faster.
      inlineRefs: false,
      validateSchema: false,
      code: { optimize: false },
    });
    const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void;
    addFormats(this.#ajv);
    for (const format of ['snowflake', 'nonce', 'int53']) this.#ajv.addFormat(format, true);
    this.#ajv.addSchema({ $id: 'spec', components: this.#description.components });
  }

  /**
   * Returns the errors in an exchange, or an empty list. The request is not checked if it was rejected.
   */
  check(exchange: Exchange): string[] {
    const found = this.#find(exchange);
    if (!found) return [`${exchange.method} ${exchange.path}: not in the description`];
    const what = `${exchange.method} ${found.template}`;
    const request = exchange.status < 400 ? this.#checkRequest(exchange, found.operation) : [];
    const response = exchange.injected ? [] : this.#checkResponse(exchange, found.operation);
    return [...request, ...response].map((problem) => `${what} ${problem}`);
  }

  /** Returns the errors in `value`, checked against one of the described schemas, such as `UserResponse`. */
  compare(name: string, value: unknown): string[] {
    return this.#compare({ $ref: `#/components/schemas/${name}` }, value).map(
      (problem) => `${name} ${problem}`,
    );
  }

  #find({ method, path }: Exchange): { template: string; operation: Operation } | undefined {
    for (const { template, operations, pattern } of this.#templates) {
      const operation = operations[method.toLowerCase()];
      if (operation && pattern.test(path)) return { template, operation };
    }
    return undefined;
  }

  #checkRequest(exchange: Exchange, operation: Operation): string[] {
    const known = (operation.parameters ?? [])
      .filter((entry) => entry.in === 'query')
      .map((entry) => entry.name);
    const strange = Object.keys(exchange.query).filter((name) => !known.includes(name));
    const problems = strange.map((name) => `request: unknown query parameter "${name}"`);
    const content = operation.requestBody?.content;
    if (exchange.requestBody === undefined || !content) return problems;
    const type = exchange.files.length > 0 ? 'multipart/form-data' : 'application/json';
    const schema = content[type]?.schema;
    if (!schema) return [...problems, `request: ${type} is not taken`];
    const value = applyAll(requestAllowances, exchange.requestBody, exchange);
    return [...problems, ...this.#compare(schema, value).map((problem) => `request ${problem}`)];
  }

  #checkResponse(exchange: Exchange, operation: Operation): string[] {
    const { status, responseBody } = exchange;
    const group = status === 429 ? '429' : status >= 400 ? '4XX' : String(status);
    const described = operation.responses[group];
    if (!described) return [`response: status ${status} is not described`];
    const schema = this.#responseSchema(described);
    if (!schema) return responseBody === undefined ? [] : [`response ${status}: must be empty`];
    const value = applyAll(responseAllowances, responseBody, exchange);
    return this.#compare(schema, value).map((problem) => `response ${status} ${problem}`);
  }

  #responseSchema(response: Json): Json | undefined {
    const target = typeof response['$ref'] === 'string' ? this.#resolve(response['$ref']) : response;
    const content = target['content'] as Record<string, { schema: Json }> | undefined;
    return content?.['application/json']?.schema;
  }

  #compare(schema: Json, value: unknown): string[] {
    const key = JSON.stringify(schema);
    let validate = this.#validators.get(key);
    if (!validate) {
      validate = this.#ajv.compile(JSON.parse(key.replaceAll('"#/components', '"spec#/components')) as Json);
      this.#validators.set(key, validate);
    }
    const errors = validate(value) ? [] : (validate.errors ?? []).map(describeError);
    const deepest = errors.toSorted((a, b) => depth(b) - depth(a)).slice(0, MISMATCHES_SHOWN);
    return [...deepest, ...this.#unknownProperties([schema], value, '')];
  }

  /**
   * Returns properties that no branch of the schemas has. Validation allows them, because the description does not
   * forbid unknown properties.
   */
  #unknownProperties(schemas: readonly Json[], value: unknown, at: string): string[] {
    const branches = [...new Set(schemas.flatMap((schema) => this.#branches(schema)))];
    if (Array.isArray(value)) {
      const items = branches.flatMap((branch) => (branch['items'] ? [branch['items'] as Json] : []));
      return value.flatMap((item, index) => this.#unknownProperties(items, item, `${at}/${index}`));
    }
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, inner]) => {
      const fitting = branches.flatMap((branch) => propertySchemas(branch, key));
      if (fitting.length === 0) return [`${at}/${key}: no such property`];
      return this.#unknownProperties(fitting, inner, `${at}/${key}`);
    });
  }

  /** Returns the alternatives of a schema, with references resolved. */
  #branches(schema: Json): readonly Json[] {
    let branches = this.#branchesOf.get(schema);
    if (!branches) {
      branches = this.#layOut(schema);
      this.#branchesOf.set(schema, branches);
    }
    return branches;
  }

  #layOut(schema: Json): readonly Json[] {
    const nested = ['allOf', 'oneOf', 'anyOf'].flatMap((key) => (schema[key] as Json[] | undefined) ?? []);
    const referred = typeof schema['$ref'] === 'string' ? [this.#resolve(schema['$ref'])] : [];
    return [schema, ...[...nested, ...referred].flatMap((inner) => this.#branches(inner))];
  }

  #resolve(reference: string): Json {
    const path = reference.replace('#/', '').split('/');
    return path.reduce<Json>((node, key) => (node[key] ?? {}) as Json, this.#description as unknown as Json);
  }
}

function templatePattern(template: string): RegExp {
  const escaped = template.replace(/[.+^$()|[\]\\]/g, String.raw`\$&`).replace(/\{[^}]+\}/g, '[^/]+');
  return new RegExp(`^${escaped}$`);
}

function propertySchemas(branch: Json, key: string): Json[] {
  const own = (branch['properties'] as Record<string, Json> | undefined)?.[key];
  if (own) return [own];
  const others = branch['additionalProperties'];
  return typeof others === 'object' && others !== null ? [others as Json] : others === true ? [{}] : [];
}

function describeError(error: ErrorObject): string {
  return `${error.instancePath}: ${error.message ?? error.keyword} ${JSON.stringify(error.params)}`;
}

function depth(problem: string): number {
  return (problem.split(':', 1)[0] ?? '').split('/').length;
}

function applyAll(
  allowances: readonly { readonly apply: (value: unknown, exchange: Exchange) => unknown }[],
  value: unknown,
  exchange: Exchange,
): unknown {
  if (value === undefined) return undefined;
  return allowances.reduce<unknown>(
    (result, allowance) => allowance.apply(result, exchange),
    structuredClone(value),
  );
}
