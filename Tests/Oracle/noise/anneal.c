/* Makes the tile of `dither=blue-noise`, the lines of numbers in Sources/HDRColor/Signal/BlueNoise.swift: 64x64
 * thresholds, each of 0 to 4095 once, whose quantisation error has little energy behind a Gaussian of 1.5 pixels on
 * flat fields and on ramps. It swaps thresholds, by simulated annealing.
 *
 *     cc -O3 -march=native -ffast-math -o anneal anneal.c -lm
 *     ./anneal 5 120 1 10:0.04          what made the tile, in two minutes; another compiler makes one that is as good
 *     ./anneal SEED MILLIONS FLAT PERIOD:WEIGHT...
 *
 * MILLIONS is the number of swaps that are tried, FLAT the weight of flat fields, and each PERIOD a ramp of so many
 * pixels for each code, along rows, along columns and along both diagonals, with the weight of one of them. Flat fields
 * alone make a tile that is 2 % better there and 10 % worse on steep ramps. `dither.py` measures the result.
 *
 * With thresholds T in [0, 1) a ramp of s codes for each pixel, averaged over all levels, has the energy
 *
 *     mean_i sum_D K(D) [(T_i - 1/2)(T_j - 1/2) + B2(frac(T_j - T_i + s D)) / 2],  B2(x) = x^2 - x + 1/6,  j = i + D,
 *
 * where K is the autocorrelation of the Gaussian. The squares of T_j - T_i cancel. What is left depends on
 * u = |T_j - T_i| and d = |s D| < 1 alone, when D and -D come together: -K(D)/2 [max(u, d) + max(0, u + d - 1)]. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 64, COUNT = SIZE * SIZE, REACH = 9, WIDE = 2 * REACH + 1, ROW = 24, MOST = 16 };
enum { STRIDE = SIZE + 2 * REACH + ROW };

/* The tile with its neighbours around it. */
static float tile[(SIZE + 2 * REACH) * STRIDE];
static float kernel[WIDE][ROW], distance[MOST][WIDE][ROW], weight[MOST];
static float flat;
static int ramps;
static int place[COUNT], rank[COUNT];

static uint64_t state;
static uint32_t bits(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    uint32_t x = ((state >> 18) ^ state) >> 27, r = state >> 59;
    return x >> r | x << (-r & 31);
}
static int below(int n) { return (int)((uint64_t)bits() * n >> 32); }

static void put(int i, int value) {
    int y = i / SIZE, x = i % SIZE;
    rank[i] = value;
    place[value] = i;
    for (int v = y + REACH - SIZE; v < SIZE + 2 * REACH; v += SIZE)
        for (int h = x + REACH - SIZE; h < STRIDE; h += SIZE)
            if (v >= 0 && h >= 0)
                tile[v * STRIDE + h] = (value + 0.5f) / COUNT;
}

/* The spread around place `i` if it had the threshold b, less that if it had a. */
static float gain(int i, float a, float b) {
    const float *from = tile + i / SIZE * STRIDE + i % SIZE;
    float sum[ROW] = {0};
    for (int y = 0; y < WIDE; y++, from += STRIDE) {
        float part[ROW];
        for (int x = 0; x < ROW; x++)
            part[x] = flat * (fabsf(from[x] - b) - fabsf(from[x] - a));
        for (int r = 0; r < ramps; r++)
            for (int x = 0; x < ROW; x++) {
                float u = fabsf(from[x] - b), v = fabsf(from[x] - a), d = distance[r][y][x];
                part[x] += weight[r] * (fmaxf(u, d) - fmaxf(v, d) + fmaxf(0, u + d - 1) - fmaxf(0, v + d - 1));
            }
        for (int x = 0; x < ROW; x++)
            sum[x] += kernel[y][x] * part[x];
    }
    float all = 0;
    for (int x = 0; x < ROW; x++)
        all += sum[x];
    return all;
}

/* What a pair of distance (x, y) adds, which a swap of both does not change although gain() says so. */
static float pair(int x, int y, float u) {
    float all = flat * u;
    for (int r = 0; r < ramps; r++) {
        float d = distance[r][y][x];
        all += weight[r] * (fmaxf(u, d) + fmaxf(0, u + d - 1));
    }
    return all;
}

static float pairs(int x, int y, float u) {
    /* Each of the two moves says that the pair comes to be of equal thresholds. */
    return 2 * kernel[y][x] * (pair(x, y, u) - pair(x, y, 0));
}

int main(int count, char **arguments) {
    if (count < 4)
        return 2;
    state = strtoull(arguments[1], 0, 10) * 2 + 1;
    double swaps = atof(arguments[2]) * 1e6;
    flat = atof(arguments[3]);
    float total = flat;
    for (int i = 4; i < count && ramps + 4 <= MOST; i++) {
        double period = 64, share = 1;
        sscanf(arguments[i], "%lf:%lf", &period, &share);
        const double ways[4][2] = {{1, 0}, {0, 1}, {M_SQRT1_2, M_SQRT1_2}, {M_SQRT1_2, -M_SQRT1_2}};
        for (int way = 0; way < 4; way++, ramps++) {
            weight[ramps] = share;
            total += share;
            for (int y = 0; y < WIDE; y++)
                for (int x = 0; x < ROW; x++) {
                    double d = fabs(ways[way][0] * (x - REACH) + ways[way][1] * (y - REACH)) / period;
                    distance[ramps][y][x] = d < 1 ? d : 1;
                }
        }
    }
    for (int y = 0; y < WIDE; y++)
        for (int x = 0; x < WIDE; x++)
            if (x != REACH || y != REACH)
                kernel[y][x] = exp(-(pow(x - REACH, 2) + pow(y - REACH, 2)) / 9) / total;

    for (int i = 0; i < COUNT; i++)
        rank[i] = i;
    for (int i = COUNT - 1; i > 0; i--) {
        int j = below(i + 1), kept = rank[i];
        rank[i] = rank[j];
        rank[j] = kept;
    }
    for (int i = 0; i < COUNT; i++)
        put(i, rank[i]);

    /* From where most swaps are taken to where none is. */
    const double hot = 0.05, cold = 1e-4;
    double energy = 0;
    long taken = 0;
    for (double n = 0; n < swaps; n++) {
        double part = n / swaps, temperature = hot * pow(cold / hot, part);
        int i = below(COUNT), j;
        if (bits() & 1) {
            /* A near threshold, or a near place. */
            int reach = 8 + COUNT * (1 - part) * (1 - part) / 4;
            j = place[(rank[i] + COUNT + below(2 * reach + 1) - reach) % COUNT];
        } else {
            int x = i % SIZE + below(7) - 3, y = i / SIZE + below(7) - 3;
            j = (y & (SIZE - 1)) * SIZE + (x & (SIZE - 1));
        }
        if (i == j)
            continue;
        int first = rank[i], second = rank[j];
        float a = (first + 0.5f) / COUNT, b = (second + 0.5f) / COUNT;
        float change = gain(i, a, b) + gain(j, b, a);
        int x = (j % SIZE - i % SIZE + SIZE + SIZE / 2) % SIZE - SIZE / 2 + REACH;
        int y = (j / SIZE - i / SIZE + SIZE + SIZE / 2) % SIZE - SIZE / 2 + REACH;
        if (x >= 0 && x < WIDE && y >= 0 && y < WIDE)
            change += pairs(x, y, fabsf(a - b));
        if (change < 0 && bits() * 0x1p-32 >= exp(change / temperature))
            continue;
        put(i, second);
        put(j, first);
        energy -= change;
        taken++;
        if (((long)n & 0xfffff) == 0)
            fprintf(stderr, "%.2f %.5f %.1f %ld\n", part, temperature, energy, taken);
    }
    fprintf(stderr, "%.2f, %ld swaps\n", energy, taken);
    for (int i = 0; i < COUNT; i++)
        printf("%s%d,%s", i % 16 == 0 ? "        " : " ", rank[i], i % 16 == 15 ? "\n" : "");
}
