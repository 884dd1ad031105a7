import fastify from 'fastify';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { BuiltPage } from '../../../src/base/pages/built-page.ts';
import { closeBrowser, hasBrowser, openPage, seriousFaults } from './use-browser.ts';

afterAll(closeBrowser);

describe.skipIf(!hasBrowser)('built pages', () => {
  test('run below any prefix of a host, with a strict policy', async () => {
    const app = fastify();
    onTestFinished(() => app.close());
    const built = await BuiltPage.open('console');
    await app.register(
      async (scope) => {
        built.serveAssets(scope);
        scope.get('/', (_request, reply) =>
          reply
            .type('text/html; charset=utf-8')
            .header(
              'content-security-policy',
              "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'",
            )
            .send(built.html('/some/where/')),
        );
      },
      { prefix: '/some/where' },
    );
    const origin = await app.listen({ host: '127.0.0.1', port: 0 });
    const { page, errors } = await openPage();
    await page.goto(`${origin}/some/where/`);
    await page.getByText('The media server does not answer').waitFor();
    // The host has no routes here that could answer the page.
    expect(errors.filter((text) => !text.includes('404'))).toEqual([]);
    expect(await seriousFaults(page)).toEqual([]);
  });
});
