import type { OrderStatus } from '../orders/order.entity.js';

/** An order as the shop's API answers it. */
export interface OrderAnswer {
  readonly id: string;
  readonly sku: string;
  readonly quantity: number;
  readonly status: OrderStatus;
  readonly payBefore: string;
  readonly paidAt: string | null;
  readonly cancelledAt: string | null;
}

/** Uses the shop over HTTP, as anybody could. */
export class Customer {
  constructor(private readonly shopUrl: string) {}

  async place(sku: string, quantity: number): Promise<OrderAnswer> {
    const response = await this.post('/orders', { sku, quantity });
    return read<OrderAnswer>(response);
  }

  /** Answers the HTTP status: 200 when the order is paid, 409 when it has been cancelled. */
  async pay(orderId: string): Promise<number> {
    const response = await this.post(`/orders/${orderId}/pay`);
    await response.arrayBuffer();
    return response.status;
  }

  async look(orderId: string): Promise<OrderAnswer> {
    return read<OrderAnswer>(await fetch(`${this.shopUrl}/orders/${orderId}`));
  }

  /** Pieces that can be ordered. */
  async stockOf(sku: string): Promise<number> {
    const { available } = await read<{ readonly available: number }>(await fetch(`${this.shopUrl}/stock/${sku}`));
    return available;
  }

  private async post(path: string, body?: object): Promise<Response> {
    return fetch(`${this.shopUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }
}

async function read<Answer>(response: Response): Promise<Answer> {
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}
