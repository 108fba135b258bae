!> Settings of the dam break: one namelist file, then `name=value` words of the command line.
module settings_m
    use, intrinsic :: iso_fortran_env, only: dp => real64, error_unit
    implicit none (type, external)
    private

    public :: dp, settings, read_settings

    !> Everything a run is told, and what follows from it. SI units unless said otherwise.
    type :: settings
        character(len=80) :: title = ''
        character(len=400) :: output_dir = ''
        integer :: dim = 2
        integer :: cells = 0            !! particles across the column width
        real(dp) :: width = 0           !! column width a
        real(dp) :: gravity = 0
        real(dp) :: rho0 = 0            !! reference density
        real(dp) :: column_height = 0   !! in units of a, like all lengths below
        real(dp) :: tank(3) = 0         !! inner length (x), height (y, up), depth (z)
        logical :: periodic_sides = .false.     !! no walls across the tank: what leaves at one
                                                !! side comes in at the other
        real(dp) :: shift = 0           !! moves everything along z, through periodic sides
        real(dp) :: obstacle_lo(3) = 0, obstacle_hi(3) = 0
        real(dp) :: sound_factor = 0    !! c0 over the speed of free fall sqrt(2 g H)
        real(dp) :: h_over_dx = 0       !! smoothing length over particle spacing
        logical :: variable_h = .false. !! smoothing lengths follow the volumes of particles
        character(len=8) :: forces = 'list' !! 'list' loops over a neighbor list, 'formula' makes
                                            !! none, 'program' has the whole step as a text
        real(dp) :: alpha = 0           !! artificial viscosity
        real(dp) :: wall_friction = 0   !! share of it that acts at walls: 0 is free slip
        real(dp) :: delta = 0           !! density diffusion
        real(dp) :: cfl = 0
        real(dp) :: t_end = 0           !! dimensionless, T = t sqrt(2 g / a), like the two below
        real(dp) :: table_every = 0, frame_every = 0
        ! derived
        real(dp) :: dx = 0              !! particle spacing
        real(dp) :: h = 0               !! smoothing length; the kernel reaches 2 h
        real(dp) :: skin = 0            !! how much farther the search looks, see dam_break.f90
        real(dp) :: cutoff = 0          !! of the search: 2 h + skin
        real(dp) :: period = 0          !! all repeats after this length along z; 0: it does not
        real(dp) :: c0 = 0              !! numerical speed of sound
        real(dp) :: time_scale = 0      !! T / t = sqrt(2 g / a)
        integer :: layers = 0           !! layers of wall particles: enough to fill the kernel
    end type settings

contains

    !> Read `path`, then let each of `overrides` (such as 't_end=2.5') replace a value.
    subroutine read_settings(path, overrides, s)
        character(len=*), intent(in) :: path
        character(len=*), intent(in) :: overrides(:)
        type(settings), intent(out) :: s

        character(len=80) :: title
        character(len=400) :: output_dir, message
        character(len=8) :: forces
        integer :: dim, cells, unit, status, k
        real(dp) :: width, gravity, rho0, column_height, tank(3), obstacle_lo(3), obstacle_hi(3)
        real(dp) :: sound_factor, h_over_dx, alpha, wall_friction, delta, cfl
        real(dp) :: t_end, table_every, frame_every, shift
        logical :: periodic_sides, variable_h
        namelist /dam_break/ title, output_dir, dim, cells, width, gravity, rho0, column_height, &
            tank, periodic_sides, shift, obstacle_lo, obstacle_hi, sound_factor, h_over_dx, &
            variable_h, forces, alpha, wall_friction, delta, cfl, t_end, table_every, frame_every

        title = 'dam break'; output_dir = 'dam_break_out'
        dim = 2; cells = 50
        width = 0.05715_dp; gravity = 9.81_dp; rho0 = 1000
        column_height = 2; tank = [5, 3, 1]
        periodic_sides = .false.; shift = 0
        obstacle_lo = 0; obstacle_hi = 0
        sound_factor = 10; h_over_dx = 2; variable_h = .false.; forces = 'list'
        alpha = 0.02_dp; wall_friction = 0; delta = 0.1_dp
        cfl = 0.5_dp
        t_end = 3; table_every = 0.1_dp; frame_every = 0.1_dp

        open (newunit=unit, file=path, status='old', action='read', iostat=status, iomsg=message)
        if (status /= 0) call refuse('cannot open '//path//': '//trim(message))
        read (unit, nml=dam_break, iostat=status, iomsg=message)
        if (status /= 0) call refuse('cannot read '//path//': '//trim(message))
        close (unit)
        do k = 1, size(overrides)
            call read_word(overrides(k))
        end do

        s = settings(title=title, output_dir=output_dir, dim=dim, cells=cells, width=width, &
            gravity=gravity, rho0=rho0, column_height=column_height, tank=tank, &
            periodic_sides=periodic_sides, shift=shift, obstacle_lo=obstacle_lo, &
            obstacle_hi=obstacle_hi, sound_factor=sound_factor, h_over_dx=h_over_dx, &
            variable_h=variable_h, forces=forces, alpha=alpha, &
            wall_friction=wall_friction, delta=delta, cfl=cfl, t_end=t_end, &
            table_every=table_every, frame_every=frame_every)
        call check(s)
        call derive(s)
        if (s%periodic_sides) call check_period(s)

    contains

        !> One word of the command line is a namelist of its own. Text needs no quotes here: a
        !> shell has removed them.
        subroutine read_word(word)
            character(len=*), intent(in) :: word

            character(len=:), allocatable :: group
            integer :: equals

            equals = index(word, '=')
            select case (word(:max(equals, 1) - 1))
            case ('title', 'output_dir', 'forces')
                group = '&dam_break '//word(:equals)//'"'//trim(word(equals + 1:))//'" /'
            case default
                group = '&dam_break '//trim(word)//' /'
            end select
            read (group, nml=dam_break, iostat=status, iomsg=message)
            if (status /= 0) call refuse('cannot read "'//trim(word)//'": '//trim(message))
        end subroutine read_word

    end subroutine read_settings

    !> Name the first setting that makes no sense.
    subroutine check(s)
        type(settings), intent(in) :: s

        if (s%dim /= 2 .and. s%dim /= 3) call refuse('dim must be 2 or 3')
        if (s%cells < 4) call refuse('cells must be at least 4')
        if (min(s%width, s%gravity, s%rho0, s%column_height, s%alpha, s%wall_friction, &
            s%delta, s%t_end) < 0 &
            .or. s%width*s%gravity*s%rho0*s%column_height <= 0) &
            call refuse('width, gravity, rho0 and column_height must be positive')
        if (s%tank(1) < 1 .or. s%tank(2) < s%column_height .or. any(s%tank <= 0)) &
            call refuse('tank must hold the column (lengths are in units of the column width)')
        if (all(s%obstacle_hi(:s%dim) > s%obstacle_lo(:s%dim)) .and. s%obstacle_lo(1) < 1) &
            call refuse('the obstacle must stand outside the column')
        if (s%sound_factor < 5) call refuse('sound_factor must be at least 5')
        if (s%h_over_dx < 1 .or. s%h_over_dx > 4) call refuse('h_over_dx must be in 1 .. 4')
        if (all(s%forces /= [character(len=8) :: 'list', 'formula', 'program'])) &
            call refuse("forces must be 'list', 'formula' or 'program'")
        if (s%cfl <= 0 .or. s%cfl > 1) call refuse('cfl must be in (0, 1]')
        if (s%table_every <= 0 .or. s%frame_every <= 0) &
            call refuse('table_every and frame_every must be positive')
        if (s%periodic_sides .and. s%dim == 2) call refuse('periodic_sides needs dim = 3')
        if (abs(s%shift) > 0 .and. .not. s%periodic_sides) call refuse('shift needs periodic_sides')
    end subroutine check

    !> The lattice must meet itself at the sides, and a particle no neighbor twice: the search asks
    !> for a period of two cutoffs at least.
    subroutine check_period(s)
        type(settings), intent(in) :: s

        if (abs(s%tank(3)*s%cells - nint(s%tank(3)*s%cells)) > 1e-6_dp) &
            call refuse('with periodic_sides the depth of the tank must be whole in particles')
        if (s%period < 2*s%cutoff) &
            call refuse('with periodic_sides the tank must be two cutoffs deep: add cells or depth')
    end subroutine check_period

    !> Derives what follows from the settings.
    subroutine derive(s)
        type(settings), intent(inout) :: s

        s%dx = s%width/s%cells
        s%h = s%h_over_dx*s%dx
        s%skin = 0.1_dp*s%h
        s%cutoff = 2*s%h + s%skin
        if (s%periodic_sides) s%period = s%tank(3)*s%width
        s%c0 = s%sound_factor*sqrt(2*s%gravity*s%column_height*s%width)
        s%time_scale = sqrt(2*s%gravity/s%width)
        s%layers = ceiling(2*s%h_over_dx - 1e-9_dp)
    end subroutine derive

    !> A bad input file ends the run before it starts.
    subroutine refuse(text)
        character(len=*), intent(in) :: text

        write (error_unit, '(2a)') 'dam_break: ', text
        stop 2, quiet=.true.
    end subroutine refuse

end module settings_m
