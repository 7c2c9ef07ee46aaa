package io.stag.rnic.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.simnet.Conforms;
import io.stag.verbs.Access;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.MemoryWindow;
import io.stag.verbs.SendRequests;
import io.stag.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class SendListTest {
    private final WorkFixture fixture = new WorkFixture(8);
    private final SoftMemoryRegion region = fixture.region();

    @Test
    void handsTheListOverInOrderAndStartsANewOne() {
        assertThat(fixture.sends.send(1).write(2, 3, 4).from(region, 0, 10).post())
                .isEqualTo(2);
        assertThat(fixture.sends.post()).isZero();
        assertThat(fixture.doorbells).isEqualTo(1);
        SendWork first = take();
        SendWork second = take();
        assertThat(first.id).isEqualTo(1);
        assertThat(first.kind).isEqualTo(WorkKind.SEND);
        assertThat(second.remoteStag).isEqualTo(3);
        assertThat(second.remoteOffset).isEqualTo(4);
        assertThat(second.payloadLength()).isEqualTo(10);
    }

    @Test
    void aSlotUsedAgainKeepsNothingOfItsFormerRequest() {
        for (int i = 0; i < 8; i++) {
            fixture.sends
                    .sendInvalidate(i, 7)
                    .from(region, 0, 10)
                    .unsignaled()
                    .solicited()
                    .readFence()
                    .post();
            take();
            fixture.sendQueue.retire();
        }
        fixture.sends.write(9, 1, 2).post();
        SendWork work = take();
        assertThat(work.signaled).isTrue();
        assertThat(work.solicited || work.readFence || work.localFence || work.invalidate || work.internal)
                .isFalse();
        assertThat(work.buffers.count()).isZero();
        assertThat(work.payloadLength()).isZero();
        assertThat(work.endPosition).isEqualTo(SendWork.NOT_YET);
    }

    @Test
    @Conforms({"VRB-020"})
    void aFullQueueTakesTheFirstRequestsOfAListAndTellsHowMany() {
        for (int i = 0; i < 6; i++) {
            fixture.sends.send(i);
        }
        assertThat(fixture.sends.post()).isEqualTo(6);
        assertThat(fixture.sends.send(6).send(7).send(8).post()).isEqualTo(2);
        assertThat(fixture.sends.send(9).post()).isZero();
        assertThat(fixture.sendQueue.size()).isEqualTo(8);
        for (int i = 0; i < 8; i++) {
            assertThat(take().id).isEqualTo(i);
        }
        assertThat(fixture.sendQueue.peekNext()).isNull();
    }

    @Test
    void aListThatNeverFitsIsRefused() {
        for (int i = 0; i < 8; i++) {
            fixture.sends.send(i);
        }
        refuses("more than 8 requests", list -> list.send(8));
    }

    @Test
    void nothingIsQueuedWhenPostingIsNotAllowed() {
        fixture.sends.send(1);
        fixture.closed = true;
        assertThatThrownBy(fixture.sends::post).isInstanceOf(VerbsException.class);
        assertThat(fixture.sendQueue.size()).isZero();
        fixture.closed = false;
        assertThat(fixture.sends.post()).as("the list is gone").isZero();
    }

    @Test
    @Conforms({"VRB-018", "RDMAP-022", "RDMAP-028"})
    void buffersBelongToTheRequestAndStayInsideTheirRegion() {
        refuses("start a request first", list -> list.from(region, 0, 1));
        refuses("outside the region", list -> list.send(1).from(region, 0, 101));
        refuses("outside the region", list -> list.send(1).from(region, 101, 0));
        refuses("outside the region", list -> list.send(1).from(region, -1, 1));
        refuses("outside the region", list -> list.send(1).from(region, 1, -1));
        refuses("outside the region", list -> list.send(1).from(region, Long.MAX_VALUE, Long.MAX_VALUE));
        refuses("at most 3 buffers", list -> {
            list.send(1);
            for (int i = 0; i < 4; i++) {
                list.from(region, 0, 1);
            }
        });
        refuses("another protection domain", list -> list.send(1).from(fixture.region(2), 0, 1));
        MemoryRegion foreign = proxy(MemoryRegion.class);
        refuses("another provider", list -> list.send(1).from(foreign, 0, 1));
        MemoryWindow foreignWindow = proxy(MemoryWindow.class);
        refuses(
                "another provider",
                list -> list.bindWindow(1, foreignWindow, 1, region, 0, 1, Set.of(Access.REMOTE_READ)));
        fixture.sends
                .send(1)
                .from(region, 100, 0)
                .from(region, 0, 100)
                .from(region, 99, 1)
                .post();
        assertThat(take().payloadLength()).isEqualTo(101);
    }

    @Test
    void aRegionThatIsRegisteredLaterIsCheckedLater() {
        fixture.sends.send(1).from(fixture.emptyRegion(), 0, 1_000).post();
        assertThat(take().payloadLength()).isEqualTo(1_000);
    }

    @Test
    void eachMethodFitsSomeRequestsOnly() {
        refuses("sends no payload", list -> list.read(1, 2, 3).from(region, 0, 1));
        refuses("sends no payload", list -> list.immediate(1, 2).from(region, 0, 1));
        refuses("sends no payload", list -> list.fetchAdd(1, 2, 3, 4).inline(MemorySegment.ofArray(new byte[1])));
        refuses("brings nothing back", list -> list.send(1).into(region, 0, 1));
        refuses("completes no receive", list -> list.write(1, 2, 3).solicited());
        refuses("belongs to local operations", list -> list.send(1).localFence());
        refuses("cannot be fenced", list -> list.read(1, 2, 3).readFence());
        refuses("one buffer of 8 octets", list -> list.fetchAdd(1, 2, 3, 4).into(region, 0, 7));
        refuses(
                "one buffer of 8 octets",
                list -> list.compareSwap(1, 2, 3, 4, 5).into(region, 0, 8).into(region, 8, 8));
        refuses(
                "goes to one buffer",
                list -> list.readInvalidate(1, 2, 3).into(region, 0, 8).into(region, 8, 8));
        refuses(
                "needs a place for its result",
                list -> list.fetchAdd(1, 2, 3, 4).post());
        refuses(
                "invalidates its sink needs one",
                list -> list.readInvalidate(1, 2, 3).post());
    }

    @Test
    void aRefusedRequestLeavesItsList() {
        MemoryRegion foreign = proxy(MemoryRegion.class);
        MemoryWindow window = fixture.window();
        MemorySegment data = MemorySegment.ofArray(new byte[WorkFixture.MAX_INLINE]);
        List<Consumer<SendRequests>> wrong = List.of(
                list -> list.send(2).from(region, 0, 101),
                list -> list.send(2).from(region, 0, 1).from(foreign, 0, 1),
                list -> list.send(2).from(region, 0, 1).inline(data),
                list -> list.send(2).inline(data).from(region, 0, 1),
                list -> list.send(2).inline(MemorySegment.ofArray(new byte[17])),
                list -> list.send(2).localFence(),
                list -> list.write(2, 3, 4).solicited(),
                list -> list.read(2, 3, 4).readFence(),
                list -> list.read(2, 3, 4).into(region, -1, 1),
                list -> list.fetchAdd(2, 3, 4, 5).into(region, 0, 7),
                list -> list.readInvalidate(2, 3, 4).into(region, 0, 8).into(region, 8, 8));
        fixture.sends.send(1).from(region, 0, 10);
        for (Consumer<SendRequests> use : wrong) {
            assertThatThrownBy(() -> use.accept(fixture.sends)).isInstanceOf(VerbsException.class);
            assertThatThrownBy(() -> fixture.sends.from(region, 0, 1)).hasMessageContaining("start a request first");
            assertThatThrownBy(fixture.sends::unsignaled).hasMessageContaining("start a request first");
        }
        List<Consumer<SendRequests>> neverBegun = List.of(
                list -> list.bindWindow(2, window, 1, foreign, 0, 1, Set.of(Access.REMOTE_READ)),
                list -> list.fastRegister(2, foreign, 1, data, Set.of(Access.LOCAL_READ)));
        for (Consumer<SendRequests> use : neverBegun) {
            assertThatThrownBy(() -> use.accept(fixture.sends)).isInstanceOf(VerbsException.class);
        }
        assertThat(fixture.sends.send(3).post()).isEqualTo(2);
        SendWork first = take();
        assertThat(first.id).isEqualTo(1);
        assertThat(first.payloadLength()).isEqualTo(10);
        assertThat(first.signaled).isTrue();
        assertThat(take().id).isEqualTo(3);
    }

    @Test
    void inlinePayloadIsShortAndAlone() {
        MemorySegment data = MemorySegment.ofArray(new byte[WorkFixture.MAX_INLINE]);
        refuses("17 octets inline", list -> list.send(1).inline(MemorySegment.ofArray(new byte[17])));
        refuses(
                "either inline payload or buffers",
                list -> list.send(1).from(region, 0, 1).inline(data));
        refuses(
                "either inline payload or buffers",
                list -> list.send(1).inline(data).from(region, 0, 1));
        fixture.sends.send(1).inline(data).post();
        assertThat(take().payloadLength()).isEqualTo(WorkFixture.MAX_INLINE);
    }

    @Test
    void anEmptyInlinePayloadIsNoPayload() {
        fixture.sends.write(1, 2, 3).inline(MemorySegment.ofArray(new byte[0])).post();
        assertThat(take().payloadLength()).isZero();
    }

    private void refuses(String reason, Consumer<SendRequests> use) {
        var other = new SendList(fixture.sendQueue, fixture);
        SendRequests list = reason.startsWith("more than") ? fixture.sends : other;
        assertThatThrownBy(() -> use.accept(list))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining(reason);
        assertThat(fixture.sendQueue.size()).as("nothing queued").isZero();
    }

    private SendWork take() {
        SendWork work = fixture.sendQueue.peekNext();
        fixture.sendQueue.started();
        return work;
    }

    private static <T> T proxy(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (_, method, _) -> {
            throw new UnsupportedOperationException(method.getName());
        }));
    }
}
