import type { FastifyInstance } from 'fastify';
import type { WireVoice } from '../../../media-api/wire.ts';
import type { Services } from '../services.ts';

/** Adds the route `GET /voices`, which returns an empty list if there is no engine for voices. */
export function voiceRoutes(app: FastifyInstance, { voices, baseUrl }: Services): void {
  app.get('/voices', (): WireVoice[] =>
    voices.list.map(({ id, name, description }) => ({
      id,
      name,
      description,
      preview_url: `${baseUrl()}/voices/${encodeURIComponent(id)}/preview.wav`,
    })),
  );
}

/** Adds the route `GET /voices/{id}/preview.wav`, without a key, because audio players open the link. */
export function previewRoutes(app: FastifyInstance, { voices }: Services): void {
  app.get<{ Params: { id: string } }>('/voices/:id/preview.wav', async (request, reply) => {
    const preview = await voices.preview(request.params.id);
    return await reply
      .headers({
        'content-type': 'audio/wav',
        'x-content-type-options': 'nosniff',
        'cache-control': 'public, max-age=3600',
      })
      .send(Buffer.from(preview));
  });
}
