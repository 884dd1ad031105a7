export const LABEL = 'AI-altered media';

const MARGIN = 0.02;
const FONT = 0.045;
const FONT_PX_MIN = 11;

/**
 * Draws a picture as large as possible in the middle of a canvas, with the label in its corner, so that every capture
 * of the canvas contains both.
 */
export function drawAltered(canvas: HTMLCanvasElement, picture: ImageBitmap): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const scale = Math.min(canvas.width / picture.width, canvas.height / picture.height);
  const [width, height] = [picture.width * scale, picture.height * scale];
  const [left, top] = [(canvas.width - width) / 2, (canvas.height - height) / 2];
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, left, top, width, height);
  const margin = Math.round(height * MARGIN);
  drawLabel(context, { left: left + margin, bottom: top + height - margin, height });
}

function drawLabel(
  context: CanvasRenderingContext2D,
  { left, bottom, height }: { readonly left: number; readonly bottom: number; readonly height: number },
): void {
  const size = Math.max(FONT_PX_MIN * devicePixelRatio, Math.round(height * FONT));
  const padding = Math.round(size * 0.5);
  context.font = `600 ${size}px system-ui, 'Noto Sans', 'Segoe UI', sans-serif`;
  context.textBaseline = 'middle';
  const width = context.measureText(LABEL).width + 2 * padding;
  const tall = Math.round(size * 1.7);
  context.fillStyle = 'rgb(16 14 22 / 72%)';
  context.beginPath();
  context.roundRect(left, bottom - tall, width, tall, size * 0.4);
  context.fill();
  context.fillStyle = '#ffffff';
  context.fillText(LABEL, left + padding, bottom - tall / 2);
}
